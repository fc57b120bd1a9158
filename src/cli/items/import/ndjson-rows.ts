import {
  type InventoryItem,
  InventoryItemSchema,
} from "../../../../gen/inventory/v1/inventory_pb.ts";
import { httpJson } from "../../../contract/http-json.ts";
import { InvalidInput, MalformedJson } from "../../../http/invalid-input.ts";
import type { Line } from "./lines.ts";
import { type Row, rowOf } from "./rows.ts";

/** Reads the rows of an NDJSON file: each line is an item in the JSON of the HTTP interface. */
export async function* ndjsonRows(lines: AsyncIterable<Line>): AsyncGenerator<Row> {
  for await (const line of lines) {
    yield rowOf(line, itemFromJson);
  }
}

function itemFromJson(bytes: Buffer): InventoryItem {
  try {
    return httpJson.decodeJson(InventoryItemSchema, bytes);
  } catch (error) {
    // Drops "line 1": the row has the line number of the file.
    throw error instanceof MalformedJson
      ? new InvalidInput(error.reason.replace(" at line 1, ", " at "))
      : error;
  }
}
