import { type InventoryItem, InventoryItemSchema } from "../../gen/inventory/v1/inventory_pb.ts";
import { InvalidInput, MalformedJson } from "../rest/invalid-input.ts";
import { httpJson } from "../rest/json-form.ts";
import type { Line } from "./lines.ts";
import { type Row, rowOf } from "./rows.ts";

/** Reads the rows of an NDJSON file: on each line an item as the HTTP interface writes it. */
export async function* ndjsonRows(lines: AsyncIterable<Line>): AsyncGenerator<Row> {
  for await (const line of lines) {
    yield rowOf(line, itemFromJson);
  }
}

function itemFromJson(bytes: Buffer): InventoryItem {
  try {
    return httpJson.decodeJson(InventoryItemSchema, bytes);
  } catch (error) {
    // The JSON of a row is one line: which line of the file, is told with the row.
    throw error instanceof MalformedJson
      ? new InvalidInput(error.reason.replace(" at line 1, ", " at "))
      : error;
  }
}
