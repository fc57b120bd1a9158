import { create } from "@bufbuild/protobuf";
import {
  type InventoryItem,
  InventoryItemSchema,
  type ListInventoryRequest,
} from "../../gen/inventory/v1/inventory_pb.ts";
import { fieldsInvalid } from "../errors.ts";
import type { InventoryStore, Item, ItemPage } from "./inventory-store.ts";
import { itemMessage } from "./item-message.ts";
import { pageToken, startOfPage } from "./page-token.ts";

/** Items of a page whose size is not said. */
const defaultPageSize = 1_000;

/** The list, or the page of it that is asked for. */
export async function listItems(
  store: InventoryStore,
  { pageSize, pageToken: token, readMask }: ListInventoryRequest,
): Promise<{ items: InventoryItem[]; nextPageToken: string; version: bigint }> {
  const fields = readMask && maskedFields(readMask.paths);
  const { items, version, more }: ItemPage =
    pageSize === undefined && token === ""
      ? { ...(await store.list()), more: false }
      : await store.page(startOfPage("pet", token), pageSize ?? defaultPageSize);
  const last = items.at(-1);
  return {
    items: items.map(fields ? (item) => masked(item, fields) : itemMessage),
    nextPageToken: more && last ? pageToken("pet", last.petId) : "",
    version,
  };
}

/** @throws ConnectError invalid_argument when there is no such field */
function maskedFields(paths: readonly string[]): ReadonlySet<string> {
  const names = InventoryItemSchema.fields.map(({ name }) => name);
  for (const path of paths) {
    if (!names.includes(path)) {
      const description = `an entry has no field ${path}, but ${names.join(", ")}`;
      throw fieldsInvalid([{ field: "read_mask", description }]);
    }
  }
  return new Set(paths);
}

/** An item with the fields of a mask alone; the pet id says what it is, so it stays. */
function masked({ petId, quantity, status }: Item, fields: ReadonlySet<string>): InventoryItem {
  return create(InventoryItemSchema, {
    petId,
    ...(fields.has("quantity") && { quantity }),
    ...(fields.has("status") && { status }),
  });
}
