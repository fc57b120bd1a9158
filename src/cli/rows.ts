import { type InventoryItem, InventoryItemSchema } from "../../gen/inventory/v1/inventory_pb.ts";
import { describe, InvalidInput } from "../rest/invalid-input.ts";
import { compileValidator } from "../rules/validator.ts";
import { type Line, maxLineBytes } from "./lines.ts";

/** A row of a file of items: what it says, or what is wrong with it. */
export type Row =
  | { readonly line: number; readonly item: InventoryItem }
  | { readonly line: number; readonly fault: string };

/**
 * Reads a line as a row.
 *
 * @param read reads the item; what it throws as InvalidInput is the row's fault
 */
export function rowOf({ number, bytes }: Line, read: (bytes: Buffer) => InventoryItem): Row {
  if (!bytes) {
    return { line: number, fault: `is longer than ${maxLineBytes} bytes` };
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
 * Holds rows against the rules of the contract, and against each other: a pet can be named once.
 * What is kept of a file is the ids of its pets.
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
  return first === undefined ? undefined : `petId: ${item.petId} is on line ${first} already`;
}
