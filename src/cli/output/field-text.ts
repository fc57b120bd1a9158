import { create, type DescEnum, type DescField, type EnumShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { InvalidInput, textParser } from "connect-gateway/rest";
import {
  CancelOrderRequestSchema,
  LimitsSchema,
  PlanSchema,
  WritePolicySchema,
} from "../../../gen/admin/v1/admin_pb.ts";
import { type ImportedPet, ImportedPetSchema } from "../../../gen/catalog/v1/catalog_pb.ts";
import {
  AdjustInventoryRequestSchema,
  ChangeReasonSchema,
  InventoryItemSchema,
  PetStatusSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { HoldStateSchema, OrderStatusSchema } from "../../../gen/store/v1/store_pb.ts";
import { enumNumber, enumWords } from "../../common/enum-word.ts";
import { withText } from "../../common/quote.ts";
import { httpJson } from "../../contract/json.ts";
import { usageError } from "../command-error.ts";
import { valueOfCell } from "./csv-text.ts";
import { isoTime } from "./output.ts";

/** Returns a parser for an integer field in plain decimal. The parser throws InvalidInput. */
function integerParser<T extends number | bigint>(field: DescField): (text: string) => T {
  return textParser(field, httpJson.style) as (text: string) => T;
}

export const parsePetId = integerParser<bigint>(InventoryItemSchema.field.petId);
export const parseQuantity = integerParser<number>(InventoryItemSchema.field.quantity);
/** Parses the amount of an adjustment. @throws InvalidInput */
export const parseDelta = integerParser<number>(AdjustInventoryRequestSchema.field.delta);
export const parseOrderId = integerParser<bigint>(CancelOrderRequestSchema.field.orderId);
export const parsePerMinute = integerParser<bigint>(LimitsSchema.field.perMinute);
export const parsePerDay = integerParser<bigint>(LimitsSchema.field.perDay);

/** Returns a parser for the text of an enum value. The parser throws InvalidInput. */
function wordParser<D extends DescEnum>(desc: D): (text: string) => EnumShape<D> {
  return (text) => {
    const number = enumNumber(desc, text);
    if (number !== undefined) return number;
    throw new InvalidInput(`must be one of ${enumWords(desc).join(", ")}`);
  };
}

export const parseStatus = wordParser(PetStatusSchema);
export const parseReason = wordParser(ChangeReasonSchema);
export const parsePlan = wordParser(PlanSchema);
export const parseWritePolicy = wordParser(WritePolicySchema);
export const parseOrderStatus = wordParser(OrderStatusSchema);
export const parseHoldState = wordParser(HoldStateSchema);

export const itemColumns = {
  needed: ["petId", "quantity", "status"],
  optional: ["name", "sku"],
} as const;

type ItemColumn = (typeof itemColumns)["needed" | "optional"][number];

/**
 * Parses an item from the texts of its columns. Checks the syntax only, not the bounds in the proto file.
 *
 * @param textOf returns the text of a column; "" if the file does not have it. An empty name or SKU is absent
 * @throws InvalidInput that names the column
 */
export function itemFromText(textOf: (column: ItemColumn) => string): ImportedPet {
  const read = <T>(column: ItemColumn, parse: (text: string) => T): T =>
    parseColumn(column, textOf(column), parse);
  return create(ImportedPetSchema, {
    petId: read("petId", parsePetId),
    quantity: read("quantity", parseQuantity),
    status: read("status", parseStatus),
    name: valueOfCell(textOf("name")) || undefined,
    sku: valueOfCell(textOf("sku")) || undefined,
  });
}

/** Parses the text of a column. @throws InvalidInput that names the column, and has the text */
export function parseColumn<T>(column: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(withText(error.message, text), column);
  }
}

/** Parses the value of an option or argument, such as `--by` or `<pet-id>`. @throws CommandError that names it; exit code 2 */
export function readOption<T>(name: string, parse: (text: string) => T, text: string): T {
  try {
    return parseColumn(name, text, parse);
  } catch (error) {
    throw error instanceof InvalidInput ? usageError(`${name}: ${error.message}`) : error;
  }
}

/** Formats a time as ISO 8601, to the second. Returns `absent` for undefined. */
export function timeOr(time: Timestamp | undefined, absent: string): string {
  return time ? isoTime(timestampMs(time)) : absent;
}
