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
import { details } from "../output/output.ts";
import type { FieldSources } from "../session/field-sources.ts";
import { required, type Session, withSession } from "../session/session.ts";

/** Options of `items create`. */
interface ItemOptions {
  readonly pet: string;
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
  readonly below?: string;
  readonly pet?: readonly string[];
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
export async function createItem(environment: Environment, options: ItemOptions): Promise<void> {
  const item = {
    petId: readOption("--pet", parsePetId, options.pet),
    quantity: readOption("--quantity", parseQuantity, options.quantity),
    status: parseStatus(options.status),
  };
  const sources = {
    "item.pet_id": "--pet",
    "item.quantity": "--quantity",
    "item.status": "--status",
  };
  await printResponse(environment, sources, ({ admin }) => admin.createItem({ item }));
}

export const selectionSources: FieldSources = {
  min_quantity: "--min",
  max_quantity: "--max",
  pet_ids: "--pet",
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
  { below, pet = [], ...options }: ListItemsOptions,
): Promise<void> {
  const most = below === undefined ? undefined : readOption("--below", parseQuantity, below);
  const petIds = pet.map((text) => readOption("--pet", parsePetId, text));
  const selection = { ...selectionFields(options), petIds };
  const { items } = await withSession(environment, selectionSources, ({ inventory }) =>
    inventory.listInventory(selection),
  );
  const found = items.filter(({ quantity = 0 }) => most === undefined || quantity < most);
  const header = ["PET", "QUANTITY", "STATUS"];
  await printMessages(environment, InventoryItemSchema, found, { header, cellsOf });
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

/** Removes a pet from the catalogue. @throws CommandError */
export async function removeItem(environment: Environment, pet: string): Promise<void> {
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
  await printMessage(environment, InventoryItemSchema, required(item), (pet) => {
    const [id, quantity, status] = cellsOf(pet);
    return details({ pet: id, quantity, status });
  });
}

function reasonOf({ reason, note = "", reference = "" }: ReasonOptions) {
  return { reason: parseReason(reason), note, reference };
}

function cellsOf(item: InventoryItem) {
  return [String(item.petId), String(item.quantity ?? ""), statusOf(item)] as const;
}

function statusOf({ status }: InventoryItem): string {
  return enumWord(PetStatusSchema, status);
}
