import { randomUUID } from "node:crypto";
import {
  type InventoryItem,
  InventoryItemSchema,
  PetStatusSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../call/enum-word.ts";
import type { ReasonWord, StatusWord } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import {
  parseDelta,
  parsePetId,
  parseQuantity,
  parseReason,
  parseStatus,
  readOption,
} from "../output/field-text.ts";
import { printMessage, printMessages } from "../output/messages.ts";
import { type Column, details } from "../output/table.ts";
import type { FieldSources } from "../session/field-sources.ts";
import { allPages, required, type Session, withSession } from "../session/session.ts";

/** Options of `items create`. */
interface ItemOptions {
  readonly quantity: string;
  readonly status: StatusWord;
}

/** Options that select items. */
export interface SelectionOptions {
  readonly status?: StatusWord;
  readonly min?: string;
  readonly max?: string;
}

/** Options of `items list`. */
interface ListItemsOptions extends SelectionOptions {
  readonly limit?: number;
}

/** Options for the reason of a change. */
interface ReasonOptions {
  readonly reason: ReasonWord;
  readonly note?: string;
  readonly reference?: string;
}

const petSources = { pet_id: "<pet-id>", status: "<status>" };
const reasonSources = { pet_id: "<pet-id>", note: "--note", reference: "--reference" };

/** Adds a pet to the catalogue. @throws CommandError */
export async function createItem(
  environment: Environment,
  pet: string,
  options: ItemOptions,
): Promise<void> {
  const item = {
    petId: readOption("<pet-id>", parsePetId, pet),
    quantity: readOption("--quantity", parseQuantity, options.quantity),
    status: parseStatus(options.status),
  };
  const sources = {
    "item.pet_id": "<pet-id>",
    "item.quantity": "--quantity",
    "item.status": "--status",
  };
  await printResponse(environment, sources, ({ admin }) => admin.createItem({ item }));
}

export const selectionSources: FieldSources = {
  min_quantity: "--min",
  max_quantity: "--max",
  pet_ids: "[pet-id...]",
};

/** Returns the selection that options ask for. @throws CommandError */
export function selectionFields({ status, min, max }: SelectionOptions) {
  return {
    ...(status !== undefined && { status: parseStatus(status) }),
    ...(min !== undefined && { minQuantity: readOption("--min", parseQuantity, min) }),
    ...(max !== undefined && { maxQuantity: readOption("--max", parseQuantity, max) }),
  };
}

/** Prints pets, by ascending id. @throws CommandError */
export async function listItems(
  environment: Environment,
  pets: readonly string[],
  { limit, ...options }: ListItemsOptions,
): Promise<void> {
  const petIds = pets.map((text) => readOption("[pet-id...]", parsePetId, text));
  const selection = { ...selectionFields(options), petIds };
  const items = await withSession(environment, selectionSources, ({ inventory }) =>
    allPages(
      environment,
      limit,
      // A response without pages has the whole list, at one version of the stock.
      (page) => inventory.listInventory({ ...selection, ...(limit !== undefined && page) }),
      (page) => page.items,
    ),
  );
  const columns: readonly (Column | string)[] = [
    { title: "PET ID", isNumber: true },
    { title: "QUANTITY", isNumber: true },
    "STATUS",
  ];
  await printMessages(environment, InventoryItemSchema, items, { columns, cellsOf });
}

/** Prints one pet. @throws CommandError */
export async function getItem(environment: Environment, pet: string): Promise<void> {
  const petId = readOption("<pet-id>", parsePetId, pet);
  await printResponse(environment, petSources, ({ inventory }) =>
    inventory.getInventoryItem({ petId }),
  );
}

/** Sets the quantity of a pet. @throws CommandError, also if it has another quantity than the expected one */
export async function setItem(
  environment: Environment,
  pet: string,
  quantity: string,
  { expect, ...reason }: ReasonOptions & { readonly expect?: string },
): Promise<void> {
  const expected = expect === undefined ? undefined : readOption("--expect", parseQuantity, expect);
  const request = {
    petId: readOption("<pet-id>", parsePetId, pet),
    update: { quantity: readOption("<quantity>", parseQuantity, quantity) },
    ...reasonOf(reason),
    ...(expected !== undefined && { expectedQuantity: expected }),
  };
  const sources = {
    ...reasonSources,
    "update.quantity": "<quantity>",
    expected_quantity: "--expect",
  };
  await printResponse(environment, sources, ({ inventory }) => inventory.updateInventory(request));
}

/** Adds to or subtracts from the quantity of a pet. @throws CommandError */
export async function adjustItem(
  environment: Environment,
  pet: string,
  { by, ...reason }: ReasonOptions & { readonly by: string },
): Promise<void> {
  const request = {
    petId: readOption("<pet-id>", parsePetId, pet),
    delta: readOption("--by", parseDelta, by),
    ...reasonOf(reason),
    // An account whose write policy is strict needs it.
    idempotencyKey: randomUUID(),
  };
  const sources = { ...reasonSources, delta: "--by" };
  await printResponse(environment, sources, ({ inventory }) => inventory.adjustInventory(request));
}

/** Sets the status of a pet. @throws CommandError */
export async function setItemStatus(
  environment: Environment,
  pet: string,
  word: StatusWord,
): Promise<void> {
  const petId = readOption("<pet-id>", parsePetId, pet);
  const status = parseStatus(word);
  await printResponse(environment, petSources, ({ admin }) =>
    admin.setItemStatus({ petId, status }),
  );
}

/** Deletes a pet from the catalogue. @throws CommandError */
export async function deleteItem(environment: Environment, pet: string): Promise<void> {
  const petId = readOption("<pet-id>", parsePetId, pet);
  await printResponse(environment, petSources, ({ admin }) => admin.removeItem({ petId }));
}

/** Makes a call and prints the pet in its response. */
async function printResponse(
  environment: Environment,
  sources: FieldSources,
  call: (session: Session) => Promise<{ readonly item?: InventoryItem | undefined }>,
): Promise<void> {
  const { item } = await withSession(environment, sources, call);
  await printMessage(environment, InventoryItemSchema, required(item), (pet) =>
    details(cellsOf(pet)),
  );
}

function reasonOf({ reason, note = "", reference = "" }: ReasonOptions) {
  return { reason: parseReason(reason), note, reference };
}

/** Returns the values by the names of columns, which `items import` reads in CSV. */
function cellsOf({ petId, quantity, status }: InventoryItem) {
  return {
    "pet id": String(petId),
    quantity: String(quantity ?? ""),
    status: enumWord(PetStatusSchema, status),
  };
}
