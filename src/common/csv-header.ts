import { quote } from "connect-gateway/call";

/** Returns how the lines or fields of a CSV file are separated, and what to do; undefined if as they must be. */
export function separatorFault(header: string): string | undefined {
  if (header.includes("\r")) {
    return "the lines end with CR only. Save the file with line breaks of LF or CRLF";
  }
  if (/^"?sep=/i.test(header)) {
    return "the line only says how fields are separated. Remove it, and separate fields by commas";
  }
  const [, other] = header.includes(",") ? [] : (/(;|\t|\|)/.exec(header) ?? []);
  if (other === undefined) return undefined;
  return `fields are separated by ${quote(other)}. Save the file with commas`;
}

/** Returns what is wrong with column names, which can have any order. @param optional the columns that can be missing */
export function columnFault(
  names: readonly string[],
  columns: readonly string[],
  optional: readonly string[] = [],
): string | undefined {
  const unknown = names.find((name) => !columns.includes(name) && !optional.includes(name));
  if (unknown !== undefined) return `unknown column ${quote(unknown)}`;
  const missing = columns.find((name) => !names.includes(name));
  if (missing !== undefined) return `missing column ${missing}`;
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated === undefined ? undefined : `duplicate column ${repeated}`;
}
