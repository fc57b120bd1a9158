import { CsvError, parse } from "csv-parse/sync";
import type { InventoryItem } from "../../gen/inventory/v1/inventory_pb.ts";
import { InvalidInput, quote } from "../rest/invalid-input.ts";
import { CommandError } from "./command-error.ts";
import { itemColumns, itemFromText } from "./field-text.ts";
import type { Line } from "./lines.ts";
import { type Row, rowOf } from "./rows.ts";

/**
 * Reads the rows of a CSV file (RFC 4180) whose header names the columns, in any order. A row is a
 * line: no value of an item has a line end within.
 *
 * @throws CommandError when the header is missing, or does not name each column once and no other
 */
export async function* csvRows(lines: AsyncIterable<Line>): AsyncGenerator<Row> {
  let read: ((bytes: Buffer) => InventoryItem) | undefined;
  for await (const line of lines) {
    if (read) {
      yield rowOf(line, read);
    } else {
      read = readerOf(columnsOf(line));
    }
  }
  if (!read) {
    throw new CommandError("invalid_argument", `the file is empty: it needs ${expectedHeader}`);
  }
}

const expectedHeader = `a header with the columns ${itemColumns.join(", ")}`;

function columnsOf({ number, bytes = Buffer.alloc(0) }: Line): string[] {
  try {
    const names = fieldsOf(bytes);
    refuseOtherColumns(names);
    return names;
  } catch (error) {
    if (error instanceof InvalidInput) {
      const message = `line ${number}: ${error.reason}; the file needs ${expectedHeader}`;
      throw new CommandError("invalid_argument", message);
    }
    throw error;
  }
}

function refuseOtherColumns(names: readonly string[]): void {
  const unknown = names.find((name) => !(itemColumns as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new InvalidInput(`unknown column ${quote(unknown)}`);
  }
  const missing = itemColumns.find((name) => !names.includes(name));
  if (missing !== undefined) {
    throw new InvalidInput(`the column ${missing} is missing`);
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new InvalidInput(`the column ${repeated} is there twice`);
  }
}

function readerOf(columns: readonly string[]): (bytes: Buffer) => InventoryItem {
  return (bytes) => {
    const fields = fieldsOf(bytes);
    if (fields.length !== columns.length) {
      throw new InvalidInput(`has ${fields.length} fields, not ${columns.length}`);
    }
    return itemFromText((column) => fields[columns.indexOf(column)] ?? "");
  };
}

function fieldsOf(bytes: Buffer): string[] {
  const text = bytes.toString("utf8");
  // Without quotes a line is its fields and commas; nearly all lines are.
  if (!text.includes('"')) {
    return text.split(",");
  }
  try {
    const [fields = []] = parse(text, { record_delimiter: "\n" });
    return fields;
  } catch (error) {
    if (error instanceof CsvError) {
      throw new InvalidInput(
        "quotes must be around a whole field, doubled within it, and closed on the same line",
      );
    }
    throw error;
  }
}
