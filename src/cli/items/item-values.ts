import {
  type InventoryItem,
  InventoryItemSchema,
  PetStatusSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../call/enum-word.ts";
import { httpJson } from "../../contract/http-json.ts";
import type { StatusWord } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { parsePetId, parseQuantity, parseReason, readOption } from "../output/field-text.ts";
import { jsonArray, printResult, table } from "../output/output.ts";
import { required, withSession } from "../session/session.ts";
import { printItem, type ReasonOptions } from "./items.ts";

/** Options of `items list`. */
interface ListItemsOptions {
  readonly status?: StatusWord;
  readonly below?: string;
}

/** Options of `items set`. */
interface SetOptions extends ReasonOptions {
  readonly expect?: string;
}

/** Prints pets, by ascending id. @throws CommandError */
export async function listItems(
  environment: Environment,
  { status, below }: ListItemsOptions,
): Promise<void> {
  const most = below === undefined ? undefined : readOption("--below", parseQuantity, below);
  const all = await withSession(
    environment,
    {},
    async ({ inventory }) => (await inventory.listInventory({})).items,
  );
  const items = all.filter(
    (item) =>
      (status === undefined || statusOf(item) === status) &&
      (most === undefined || (item.quantity ?? 0) < most),
  );
  await printResult(environment, {
    json: () => jsonArray(items.map((item) => httpJson.encodeJson(InventoryItemSchema, item))),
    text: () =>
      table(
        ["PET", "QUANTITY", "STATUS"],
        items.map((item) => [String(item.petId), String(item.quantity ?? ""), statusOf(item)]),
      ),
  });
}

/** Prints one pet. @throws CommandError */
export async function getItem(environment: Environment, pet: string): Promise<void> {
  const petId = readOption("<pet-id>", parsePetId, pet);
  const item = await withSession(environment, { pet_id: "<pet-id>" }, async ({ inventory }) =>
    required((await inventory.getInventoryItem({ petId })).item),
  );
  await printItem(environment, item);
}

/** Sets the quantity of a pet. @throws CommandError, also if it has another quantity than the expected one */
export async function setItem(
  environment: Environment,
  pet: string,
  quantity: string,
  { expect, reason, note = "", reference = "" }: SetOptions,
): Promise<void> {
  const expected = expect === undefined ? undefined : readOption("--expect", parseQuantity, expect);
  const request = {
    petId: readOption("<pet-id>", parsePetId, pet),
    update: { quantity: readOption("<quantity>", parseQuantity, quantity) },
    reason: parseReason(reason),
    note,
    reference,
    ...(expected !== undefined && { expectedQuantity: expected }),
  };
  const sources = {
    pet_id: "<pet-id>",
    "update.quantity": "<quantity>",
    expected_quantity: "--expect",
    note: "--note",
    reference: "--reference",
  };
  const item = await withSession(environment, sources, async ({ inventory }) =>
    required((await inventory.updateInventory(request)).item),
  );
  await printItem(environment, item);
}

function statusOf({ status }: InventoryItem): string {
  return enumWord(PetStatusSchema, status);
}
