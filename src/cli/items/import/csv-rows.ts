import { CsvError, parse } from "csv-parse/sync";
import type { InventoryItem } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { quote } from "../../../call/quote.ts";
import { InvalidInput } from "../../../http/invalid-input.ts";
import { CommandError } from "../../command-error.ts";
import { itemColumns, itemFromText } from "../../output/field-text.ts";
import type { Line } from "./lines.ts";
import { type Row, rowOf } from "./rows.ts";

/**
 * Reads the rows of a CSV file (RFC 4180). The header names the columns, in any order. Every row is one line:
 * no value of an item contains a line break.
 *
 * @throws CommandError if the header is missing, or lacks, repeats or adds a column
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
    throw new CommandError("invalid_argument", `the file is empty: ${expectedHeader}`);
  }
}

const expectedHeader = `the header must have the columns ${itemColumns.join(", ")}`;

function columnsOf({ number, bytes = Buffer.alloc(0) }: Line): string[] {
  try {
    const names = fieldsOf(bytes);
    refuseOtherColumns(names);
    return names;
  } catch (error) {
    if (error instanceof InvalidInput) {
      const message = `line ${number}: ${error.reason}; ${expectedHeader}`;
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
    throw new InvalidInput(`missing column ${missing}`);
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new InvalidInput(`duplicate column ${repeated}`);
  }
}

function readerOf(columns: readonly string[]): (bytes: Buffer) => InventoryItem {
  return (bytes) => {
    const fields = fieldsOf(bytes);
    if (fields.length !== columns.length) {
      throw new InvalidInput(`must have ${columns.length} fields, has ${fields.length}`);
    }
    return itemFromText((column) => fields[columns.indexOf(column)] ?? "");
  };
}

function fieldsOf(bytes: Buffer): string[] {
  const text = bytes.toString("utf8");
  // Fast path for lines without quotes, which most lines are.
  if (!text.includes('"')) {
    return text.split(",");
  }
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
