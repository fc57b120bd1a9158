import {
  type InventoryItem,
  InventoryItemSchema,
  PetStatusSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../call/enum-word.ts";
import { httpJson } from "../../contract/http-json.ts";
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
import { details, printResult } from "../output/output.ts";
import { required, withSession } from "../session/session.ts";

/** Options of `items create`. */
interface ItemOptions {
  readonly pet: string;
  readonly quantity: string;
  readonly status: StatusWord;
}

/** Options for the reason of a change. */
export interface ReasonOptions {
  readonly reason: ReasonWord;
  readonly note?: string;
  readonly reference?: string;
}

/** Options of `items adjust`. */
interface AdjustOptions extends ReasonOptions {
  readonly by: string;
}

const petSources = { pet_id: "<pet-id>", status: "<status>" };

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
  const created = await withSession(environment, sources, async ({ admin }) =>
    required((await admin.createItem({ item })).item),
  );
  await printItem(environment, created);
}

/** Adds to or subtracts from the quantity of a pet. @throws CommandError */
export async function adjustItem(
  environment: Environment,
  pet: string,
  { by, reason, note = "", reference = "" }: AdjustOptions,
): Promise<void> {
  const request = {
    petId: readOption("<pet-id>", parsePetId, pet),
    delta: readOption("--by", parseDelta, by),
    reason: parseReason(reason),
    note,
    reference,
  };
  const sources = {
    pet_id: "<pet-id>",
    delta: "--by",
    note: "--note",
    reference: "--reference",
  };
  const item = await withSession(environment, sources, async ({ inventory }) =>
    required((await inventory.adjustInventory(request)).item),
  );
  await printItem(environment, item);
}

/** Sets the status of a pet. @throws CommandError */
export async function setItemStatus(
  environment: Environment,
  pet: string,
  word: StatusWord,
): Promise<void> {
  const petId = readOption("<pet-id>", parsePetId, pet);
  const status = parseStatus(word);
  const item = await withSession(environment, petSources, async ({ admin }) =>
    required((await admin.setItemStatus({ petId, status })).item),
  );
  await printItem(environment, item);
}

/** Removes a pet from the catalogue. @throws CommandError */
export async function removeItem(environment: Environment, pet: string): Promise<void> {
  const petId = readOption("<pet-id>", parsePetId, pet);
  const item = await withSession(environment, petSources, async ({ admin }) =>
    required((await admin.removeItem({ petId })).item),
  );
  await printItem(environment, item);
}

/** Prints a pet. */
export function printItem(environment: Environment, item: InventoryItem): Promise<void> {
  return printResult(environment, {
    json: () => httpJson.encodeJson(InventoryItemSchema, item),
    text: () =>
      details({
        pet: String(item.petId),
        quantity: String(item.quantity ?? ""),
        status: enumWord(PetStatusSchema, item.status),
      }),
  });
}
