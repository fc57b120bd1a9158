/** A JSON value to write. Bigints are for integers that doubles cannot hold. Undefined members are left out. */
export type Json =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | readonly Json[]
  | JsonObject;

export interface JsonObject {
  readonly [member: string]: Json;
}

declare global {
  interface JSON {
    /** https://tc39.es/proposal-json-parse-with-source/ */
    rawJSON(text: string): object;
  }
}

/** Writes indented JSON, with all digits of bigints. */
export function writeJson(value: Json): string {
  const exact = (_: string, member: unknown) =>
    typeof member === "bigint" ? JSON.rawJSON(member.toString()) : member;
  return `${JSON.stringify(value, exact, 2)}\n`;
}
