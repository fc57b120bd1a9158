import {
  type InventoryItem,
  InventoryItemSchema,
} from "../../../../gen/inventory/v1/inventory_pb.ts";
import { compileValidator } from "../../../contract/validator.ts";
import { describe, InvalidInput } from "../../../http/invalid-input.ts";
import { type Line, maxLineBytes } from "./lines.ts";

/** A row of a file: its item, or the error that makes it a bad row. */
export type Row =
  | { readonly line: number; readonly item: InventoryItem }
  | { readonly line: number; readonly fault: string };

/**
 * Parses a line as a row.
 *
 * @param read parses the item; an InvalidInput that it throws makes the row a bad one
 */
export function rowOf({ number, bytes }: Line, read: (bytes: Buffer) => InventoryItem): Row {
  if (!bytes) {
    return { line: number, fault: `must have at most ${maxLineBytes} bytes` };
  }
  try {
    return { line: number, item: read(bytes) };
  } catch (error) {
    if (error instanceof InvalidInput) {
      return { line: number, fault: describe(error) };
    }
    throw error;
  }
}

const violationsOf = compileValidator(InventoryItemSchema);
const jsonNames = new Map(InventoryItemSchema.fields.map(({ name, jsonName }) => [name, jsonName]));

/**
 * Checks rows against the rules in the proto file, and that no pet occurs twice. Keeps only the pet ids of a file in
 * memory.
 */
export async function* checkRows(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  const lineOfPet = new Map<bigint, number>();
  for await (const row of rows) {
    const fault = "item" in row ? faultOf(row.item, lineOfPet) : undefined;
    if ("item" in row && fault === undefined) {
      lineOfPet.set(row.item.petId, row.line);
    }
    yield fault === undefined ? row : { line: row.line, fault };
  }
}

function faultOf(item: InventoryItem, lineOfPet: ReadonlyMap<bigint, number>): string | undefined {
  const violations = violationsOf(item);
  if (violations.length > 0) {
    return violations
      .map(({ field, description }) => `${jsonNames.get(field) ?? field}: ${description}`)
      .join("; ");
  }
  const first = lineOfPet.get(item.petId);
  return first === undefined ? undefined : `petId: ${item.petId} is already on line ${first}`;
}
