import { randomUUID } from "node:crypto";
import { type CatalogEntry, CatalogEntrySchema } from "../../../gen/catalog/v1/catalog_pb.ts";
import {
  type InventoryItem,
  InventoryItemSchema,
  PetStatusSchema,
  StockLevelSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../common/enum-word.ts";
import {
  parseDelta,
  parsePetId,
  parseQuantity,
  parseReason,
  parseStatus,
  readOption,
} from "../output/field-text.ts";
import { type Kind, listing, showing } from "../session/kinds.ts";

export interface SelectionOptions {
  readonly status?: string;
  readonly min?: string;
  readonly max?: string;
}

export interface ReasonOptions {
  readonly reason: string;
  readonly note?: string;
  readonly reference?: string;
}

/** How items are printed and exported. */
export const kind: Kind<typeof InventoryItemSchema, { readonly item?: InventoryItem }> = {
  desc: InventoryItemSchema,
  messageOf: ({ item }) => item,
  // In CSV, `items import` reads these columns.
  columns: [
    { title: "PET ID", of: ({ petId }) => petId, isNumber: true },
    { title: "QUANTITY", of: ({ quantity }) => quantity, isNumber: true },
    { title: "STATUS", of: ({ status }) => enumWord(PetStatusSchema, status) },
  ],
};

/** How entries of the catalogue are printed. */
const entryKind: Kind<typeof CatalogEntrySchema, { readonly entry?: CatalogEntry }> = {
  desc: CatalogEntrySchema,
  messageOf: ({ entry }) => entry,
  columns: [
    { title: "PET ID", of: ({ petId }) => petId, isNumber: true },
    { title: "STATUS", of: ({ status }) => enumWord(PetStatusSchema, status) },
  ],
};

/** Adds a pet to the catalogue. @throws CommandError */
export const createItem = showing(
  entryKind,
  (pet: string, { quantity, status }: { readonly quantity: string; readonly status: string }) => ({
    ...petOf(pet),
    quantity: readOption("--quantity", parseQuantity, quantity),
    status: parseStatus(status),
  }),
  ({ catalog }) => catalog.createPet,
);

/** Returns the selection that options ask for. @throws CommandError */
export function selectionFields({ status, min, max }: SelectionOptions) {
  return {
    ...(status !== undefined && { status: parseStatus(status) }),
    ...(min !== undefined && { minQuantity: readOption("--min", parseQuantity, min) }),
    ...(max !== undefined && { maxQuantity: readOption("--max", parseQuantity, max) }),
  };
}

/** Prints pets, by ascending id. @throws CommandError */
export const listItems = listing(
  kind,
  { field: "items" },
  (
    pets: readonly string[],
    { limit, ...options }: SelectionOptions & { readonly limit?: number },
  ) => ({
    selection: { ...selectionFields(options), ...petIdsOf(pets) },
    limit,
  }),
  // A response without pages has the whole list, at one version of the stock.
  ({ inventory }) =>
    ({ selection, limit, ...page }) =>
      inventory.listInventory({ ...selection, ...(limit !== undefined && page) }),
);

/** Prints what is for sale, held, and on the shelf, by ascending id. @throws CommandError */
export const listLevels = listing(
  {
    desc: StockLevelSchema,
    columns: [
      { title: "PET ID", of: ({ petId }) => petId, isNumber: true },
      { title: "QUANTITY", of: ({ quantity }) => quantity, isNumber: true },
      { title: "HELD", of: ({ held }) => held, isNumber: true },
      { title: "ON HAND", of: ({ onHand }) => onHand, isNumber: true },
    ],
  },
  { field: "levels" },
  petIdsOf,
  ({ inventory }) =>
    ({ petIds, ...page }) =>
      inventory.listStockLevels(petIds.length > 0 ? { petIds } : page),
);

/** Prints one pet. @throws CommandError */
export const getItem = showing(kind, petOf, ({ inventory }) => inventory.getInventoryItem);

/** Sets the quantity of a pet. @throws CommandError, also if it has another quantity than the expected one */
export const setItem = showing(
  kind,
  (
    pet: string,
    quantity: string,
    { expect, ...reason }: ReasonOptions & { readonly expect?: string },
  ) => ({
    ...petOf(pet),
    update: { quantity: readOption("<quantity>", parseQuantity, quantity) },
    ...reasonFields(reason),
    ...(expect !== undefined && {
      expectedQuantity: readOption("--expect", parseQuantity, expect),
    }),
  }),
  ({ inventory }) => inventory.updateInventory,
);

/** Adds to or subtracts from the quantity of a pet. @throws CommandError */
export const adjustItem = showing(
  kind,
  (pet: string, { by, ...reason }: ReasonOptions & { readonly by: string }) => ({
    ...petOf(pet),
    delta: readOption("--by", parseDelta, by),
    ...reasonFields(reason),
    // An account whose write policy is strict needs it.
    idempotencyKey: randomUUID(),
  }),
  ({ inventory }) => inventory.adjustInventory,
);

/** Sets the status of a pet. @throws CommandError */
export const setItemStatus = showing(
  entryKind,
  (pet: string, word: string) => ({ ...petOf(pet), status: parseStatus(word) }),
  ({ catalog }) => catalog.updatePet,
);

/** Deletes a pet from the catalogue. @throws CommandError */
export const deleteItem = showing(entryKind, petOf, ({ catalog }) => catalog.removePet);

function petIdsOf(pets: readonly string[]) {
  return { petIds: pets.map((text) => readOption("[pet-id...]", parsePetId, text)) };
}

function petOf(pet: string) {
  return { petId: readOption("<pet-id>", parsePetId, pet) };
}

export function reasonFields({ reason, note = "", reference = "" }: ReasonOptions) {
  return { reason: parseReason(reason), note, reference };
}
