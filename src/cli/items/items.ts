import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import {
  type CatalogEntry,
  CatalogEntrySchema,
  ImportedPetSchema,
} from "../../../gen/catalog/v1/catalog_pb.ts";
import {
  type InventoryItem,
  InventoryItemSchema,
  PetStatusSchema,
  type StockLevel,
  StockLevelSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../common/enum-word.ts";
import { httpJson } from "../../contract/json.ts";
import { usageError } from "../command-error.ts";
import {
  parseDelta,
  parsePetId,
  parseQuantity,
  parseReason,
  parseStatus,
  readOption,
} from "../output/field-text.ts";
import { type Kind, listing, showing } from "../session/kinds.ts";
import { entryColumns, requestOfPet, requestOfPets, type SkuOption } from "../session/pets.ts";

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

/** How items are printed and exported, with the names and SKUs of their pets. */
export const kind: Kind<typeof InventoryItemSchema, { readonly item?: InventoryItem }> = {
  desc: InventoryItemSchema,
  messageOf: ({ item }) => item,
  petsOf,
  // In CSV and JSON, `items import` reads them.
  columns: (entries) => [
    { title: "PET ID", of: ({ petId }) => petId, isNumber: true },
    ...entryColumns<InventoryItem>(entries, ({ petId }) => petId),
    { title: "QUANTITY", of: ({ quantity }) => quantity, isNumber: true },
    { title: "STATUS", of: ({ status }) => enumWord(PetStatusSchema, status) },
  ],
  jsonOf: ({ petId, quantity, status }, entries) => {
    const { name = "", sku = "" } = entries.get(petId) ?? {};
    const names = { ...(name && { name }), ...(sku && { sku }) };
    const pet = create(ImportedPetSchema, { petId, quantity, status, ...names });
    return httpJson.encodeJson(ImportedPetSchema, pet);
  },
};

function petsOf({ petId }: { readonly petId: bigint }) {
  return [petId];
}

const entryKind: Kind<typeof CatalogEntrySchema, { readonly entry?: CatalogEntry }> = {
  desc: CatalogEntrySchema,
  messageOf: ({ entry }) => entry,
  columns: [
    { title: "PET ID", of: ({ petId }) => petId, isNumber: true },
    { title: "NAME", of: ({ name }) => name, least: 12 },
    { title: "SKU", of: ({ sku }) => sku },
    { title: "STATUS", of: ({ status }) => enumWord(PetStatusSchema, status) },
  ],
};

interface EntryOptions extends SkuOption {
  readonly name?: string;
  readonly newSku?: string;
  readonly status?: string;
}

/** Adds a pet to the catalogue. @throws CommandError */
export const createItem = showing(
  entryKind,
  (
    pet: string,
    { quantity, status, ...names }: EntryOptions & Record<"quantity" | "status", string>,
  ) => ({
    petId: readOption("<pet-id>", parsePetId, pet),
    quantity: readOption("--quantity", parseQuantity, quantity),
    status: parseStatus(status),
    ...names,
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

interface SkusOption {
  readonly sku?: readonly string[];
}

/** Prints pets, by ascending id. @throws CommandError */
export const listItems = listing(
  kind,
  { field: "items" },
  (
    pets: readonly string[],
    { limit, sku = [], ...options }: SelectionOptions & SkusOption & { readonly limit?: number },
  ) => {
    const selection = selectionFields(options);
    return requestOfPets("[pet-id...]", { ids: pets, skus: sku }, (petIds) => ({
      selection: { ...selection, petIds },
      limit,
    }));
  },
  // A response without pages has the whole list, at one version of the stock.
  ({ inventory }) =>
    ({ selection, limit, ...page }) =>
      inventory.listInventory({ ...selection, ...(limit !== undefined && page) }),
);

/** Prints what is for sale, held, and on the shelf, by ascending id. @throws CommandError */
export const listLevels = listing(
  {
    desc: StockLevelSchema,
    petsOf,
    columns: (entries) => [
      { title: "PET ID", of: ({ petId }) => petId, isNumber: true },
      ...entryColumns<StockLevel>(entries, ({ petId }) => petId),
      { title: "QUANTITY", of: ({ quantity }) => quantity, isNumber: true },
      { title: "HELD", of: ({ held }) => held, isNumber: true },
      { title: "ON HAND", of: ({ onHand }) => onHand, isNumber: true },
    ],
  },
  { field: "levels" },
  (pets: readonly string[], { sku = [] }: SkusOption) =>
    requestOfPets("[pet-id...]", { ids: pets, skus: sku }, (petIds) => ({ petIds })),
  ({ inventory }) =>
    ({ petIds, ...page }) =>
      inventory.listStockLevels(petIds.length > 0 ? { petIds } : page),
);

const onlyPet = (pet: string | undefined, by: SkuOption) => requestOfPet(pet, by, {});

/** Prints one pet. @throws CommandError */
export const getItem = showing(kind, onlyPet, ({ inventory }) => inventory.getInventoryItem);

/** Sets the quantity of a pet. @throws CommandError, also if it has another quantity than the expected one */
export const setItem = showing(
  kind,
  (
    pet: string | undefined,
    quantity: string,
    { expect, sku, ...reason }: ReasonOptions & SkuOption & { readonly expect?: string },
  ) =>
    requestOfPet(
      pet,
      { sku },
      {
        update: { quantity: readOption("<quantity>", parseQuantity, quantity) },
        ...reasonFields(reason),
        ...(expect !== undefined && {
          expectedQuantity: readOption("--expect", parseQuantity, expect),
        }),
      },
    ),
  ({ inventory }) => inventory.updateInventory,
);

/** Adds to or subtracts from the quantity of a pet. @throws CommandError */
export const adjustItem = showing(
  kind,
  (
    pet: string | undefined,
    { by, sku, ...reason }: ReasonOptions & SkuOption & { readonly by: string },
  ) =>
    requestOfPet(
      pet,
      { sku },
      {
        delta: readOption("--by", parseDelta, by),
        ...reasonFields(reason),
        // An account whose write policy is strict needs it.
        idempotencyKey: randomUUID(),
      },
    ),
  ({ inventory }) => inventory.adjustInventory,
);

/** Changes the name, SKU or status of a pet. @throws CommandError */
export const updateItem = showing(
  entryKind,
  (pet: string | undefined, { sku, name, newSku, status: word }: EntryOptions) => {
    if ((name ?? newSku ?? word) === undefined) {
      throw usageError("nothing to change: give --name, --new-sku or --status");
    }
    const status = word === undefined ? undefined : parseStatus(word);
    return requestOfPet(pet, { sku }, { name, sku: newSku, status });
  },
  ({ catalog }) => catalog.updatePet,
);

/** Deletes a pet from the catalogue. @throws CommandError */
export const deleteItem = showing(entryKind, onlyPet, ({ catalog }) => catalog.removePet);

export function reasonFields({ reason, note = "", reference = "" }: ReasonOptions) {
  return { reason: parseReason(reason), note, reference };
}
