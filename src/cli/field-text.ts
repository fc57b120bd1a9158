import { create, type DescEnum, ScalarType } from "@bufbuild/protobuf";
import {
  type ChangeReason,
  ChangeReasonSchema,
  type InventoryItem,
  InventoryItemSchema,
  type PetStatus,
  PetStatusSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { enumNumber, enumWords } from "../call/enum-word.ts";
import { InvalidInput, within } from "../rest/invalid-input.ts";
import { scalarParser } from "../rest/scalar-text.ts";
import { usageError } from "./command-error.ts";

/** Reads an int64 in plain decimal, exactly. @throws InvalidInput */
export const parseInt64 = scalarParser(ScalarType.INT64, false) as (text: string) => bigint;

/** Reads an int32 in plain decimal. @throws InvalidInput */
export const parseInt32 = scalarParser(ScalarType.INT32, false) as (text: string) => number;

/** Reads the word for a status. @throws InvalidInput */
export function parseStatus(text: string): PetStatus {
  return parseWord(PetStatusSchema, text) as PetStatus;
}

/** Reads the word for a reason. @throws InvalidInput */
export function parseReason(text: string): ChangeReason {
  return parseWord(ChangeReasonSchema, text) as ChangeReason;
}

function parseWord(desc: DescEnum, text: string): number {
  const number = enumNumber(desc, text);
  if (number === undefined) {
    throw new InvalidInput(`must be one of ${enumWords(desc).join(", ")}`);
  }
  return number;
}

const parsers = { petId: parseInt64, quantity: parseInt32, status: parseStatus };

/** The columns of a CSV file of items, in the order in which they are written. */
export const itemColumns = ["petId", "quantity", "status"] as const satisfies ItemColumn[];

/** Name of a column. */
export type ItemColumn = keyof typeof parsers;

/**
 * Reads an item from the texts of its fields. Only their form is checked, not the rules of the contract.
 *
 * @param textOf gives a field's text
 * @throws InvalidInput that names the column
 */
export function itemFromText(textOf: (column: ItemColumn) => string): InventoryItem {
  function read<C extends ItemColumn>(column: C): ReturnType<(typeof parsers)[C]> {
    try {
      return parsers[column](textOf(column)) as ReturnType<(typeof parsers)[C]>;
    } catch (error) {
      throw within(column, error);
    }
  }
  return create(InventoryItemSchema, {
    petId: read("petId"),
    quantity: read("quantity"),
    status: read("status"),
  });
}

/**
 * Reads the value of an option or argument.
 *
 * @param name what the command line calls it
 * @throws CommandError that names it
 */
export function readOption<T>(name: string, parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof InvalidInput ? usageError(`${name}: ${error.reason}`) : error;
  }
}
