import type { JsonValue } from "@bufbuild/protobuf";

/**
 * Writes any JSON value like JSON.stringify, except that -0 is written as `-0`.
 *
 * @throws TypeError for a value that JSON cannot represent, such as NaN
 */
export function writeJsonValue(value: JsonValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value)
      ? `[${Array.from(value, (element) => writeJsonValue(element)).join()}]`
      : writeObject(value);
  }
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : `${value}`;
  if (value === null || typeof value === "boolean") return `${value}`;
  throw new TypeError(`JSON cannot represent ${String(value)}`);
}

function writeObject(object: Readonly<Record<string, JsonValue>>): string {
  const members = Object.entries(object).map(
    ([name, value]) => `${JSON.stringify(name)}:${writeJsonValue(value)}`,
  );
  return `{${members.join()}}`;
}
