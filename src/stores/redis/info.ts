/** The reply of INFO: values by name. */
export type Info = ReadonlyMap<string, string>;

/** Parses the reply of INFO. See https://redis.io/docs/latest/commands/info/ */
export function fieldsOf(info: string): Info {
  return new Map(
    info.split("\r\n").flatMap((line): [string, string][] => {
      const colon = line.indexOf(":");
      return colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]];
    }),
  );
}
