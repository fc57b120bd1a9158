/** JSON to be written: integers beyond a double are bigints, members that are undefined are left out. */
export type Json = string | number | bigint | boolean | undefined | readonly Json[] | JsonObject;

/** A {@link Json} object. */
export interface JsonObject {
  readonly [member: string]: Json;
}

declare global {
  interface JSON {
    /** https://tc39.es/proposal-json-parse-with-source/ */
    rawJSON(text: string): object;
  }
}

/** Writes JSON for people to read, with every digit of a bigint. */
export function writeJson(value: Json): string {
  const exact = (_: string, member: unknown) =>
    typeof member === "bigint" ? JSON.rawJSON(member.toString()) : member;
  return `${JSON.stringify(value, exact, 2)}\n`;
}
