/** The reply of INFO: values by name. */
export type Info = ReadonlyMap<string, string>;

/** Parses the reply of INFO. See https://redis.io/docs/latest/commands/info/ */
export function fieldsOf(info: string): Info {
  const fields = info.matchAll(/^([^:\r\n]+):([^\r\n]*)/gm);
  return new Map(fields.map(([, name = "", value = ""]) => [name, value]));
}
