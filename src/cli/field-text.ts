import { create, type DescEnum, type DescField } from "@bufbuild/protobuf";
import { LimitsSchema } from "../../gen/admin/v1/admin_pb.ts";
import {
  AdjustInventoryRequestSchema,
  type ChangeReason,
  ChangeReasonSchema,
  type InventoryItem,
  InventoryItemSchema,
  ListItemChangesRequestSchema,
  type PetStatus,
  PetStatusSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { enumNumber, enumWords } from "../call/enum-word.ts";
import { InvalidInput, within } from "../rest/invalid-input.ts";
import { httpJsonDialect } from "../rest/json-dialect.ts";
import { textParser } from "../rest/scalar-text.ts";
import { usageError } from "./command-error.ts";

/** Makes the reader of an integer field from plain decimal. The reader throws InvalidInput. */
function integerParser<T extends number | bigint>(field: DescField): (text: string) => T {
  return textParser(field, httpJsonDialect) as (text: string) => T;
}

/** Reads the id of a pet, exactly. @throws InvalidInput */
export const parsePetId = integerParser<bigint>(InventoryItemSchema.field.petId);

/** Reads a quantity. @throws InvalidInput */
export const parseQuantity = integerParser<number>(InventoryItemSchema.field.quantity);

/** Reads the amount of an adjustment. @throws InvalidInput */
export const parseDelta = integerParser<number>(AdjustInventoryRequestSchema.field.delta);

/** Reads how many changes to list. @throws InvalidInput */
export const parsePageSize = integerParser<number>(ListItemChangesRequestSchema.field.pageSize);

/** Reads a limit of requests a minute. @throws InvalidInput */
export const parsePerMinute = integerParser<bigint>(LimitsSchema.field.perMinute);

/** Reads a limit of requests a day. @throws InvalidInput */
export const parsePerDay = integerParser<bigint>(LimitsSchema.field.perDay);

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

const parsers = { petId: parsePetId, quantity: parseQuantity, status: parseStatus };

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
