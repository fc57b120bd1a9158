import { InvalidInput } from "connect-gateway/rest";
import { CsvError, parse } from "csv-parse/sync";
import { columnFault, separatorFault } from "../../../common/csv-header.ts";
import type { CommandError } from "../../command-error.ts";
import { type Line, maxLineBytes } from "./lines.ts";

/** Whether a line has only empty fields, as spreadsheets write them behind the last row. */
export function isEmptyRow({ bytes }: Line): boolean {
  return bytes !== undefined && /^[\s,"]*$/.test(bytes.toString("utf8"));
}

/** The columns of a CSV file, in any order. */
export interface Columns {
  readonly needed: readonly string[];
  readonly optional: readonly string[];
}

export const expectedHeader = ({ needed, optional }: Columns) =>
  `the header must have the columns ${needed.join(", ")}, and can have ${optional.join(", ")}`;

/**
 * Reads the columns of a CSV header, in its order.
 *
 * @param fail makes the error of a header that lacks, repeats or adds a column, of a message that names the line
 */
export function columnsOf(
  line: Line,
  columns: Columns,
  fail: (message: string) => CommandError,
): string[] {
  try {
    const separator = separatorFault(`${line.bytes ?? ""}`);
    if (separator !== undefined) throw new InvalidInput(separator);
    const fields = fieldsOf(line);
    const names = fields.slice(0, fields.findLastIndex((name) => name.trim() !== "") + 1);
    const fault = columnFault(names, columns.needed, columns.optional);
    if (fault !== undefined) throw new InvalidInput(fault);
    return names;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw fail(`line ${line.number}: ${error.message}; ${expectedHeader(columns)}`);
  }
}

/**
 * Reads a row of a CSV file (RFC 4180). It is one line: no value contains a line break.
 *
 * @returns a function that returns the text of a column, "" if the file does not have the column
 * @throws InvalidInput if the line is too long, has malformed quotes, or has more or fewer fields than the header
 */
export function textsOf(line: Line, columns: readonly string[]) {
  const fields = fieldsOf(line);
  // Spreadsheets can write empty fields behind the last column.
  while (fields.length > columns.length && fields.at(-1)?.trim() === "") fields.pop();
  if (fields.length !== columns.length) {
    throw new InvalidInput(`must have ${columns.length} fields, has ${fields.length}`);
  }
  return (column: string) => fields[columns.indexOf(column)] ?? "";
}

function fieldsOf({ bytes }: Line): string[] {
  if (!bytes) throw new InvalidInput(`must have at most ${maxLineBytes} bytes`);
  const text = bytes.toString("utf8");
  // Fast path for lines without quotes, which most lines are.
  if (!text.includes('"')) return text.split(",");
  try {
    const [fields = []] = parse(text, { record_delimiter: "\n" });
    return fields;
  } catch (error) {
    if (error instanceof CsvError) {
      throw new InvalidInput(
        "malformed quotes: quote whole fields, double quotes within them, and close them on the same line",
      );
    }
    throw error;
  }
}
