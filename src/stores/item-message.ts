import { create } from "@bufbuild/protobuf";
import { type InventoryItem, InventoryItemSchema } from "../../gen/inventory/v1/inventory_pb.ts";
import type { Item, ListedItem } from "./inventory-store.ts";

/** Converts a stored item to its message. */
export function itemMessage({ petId, quantity, status }: Item): InventoryItem {
  return create(InventoryItemSchema, { petId, quantity, status });
}

/** Converts a stored item to one of the whole list. It is frozen, so that lists can share it and the data derived from it. */
export function listedItem(item: Item): ListedItem {
  return Object.freeze(itemMessage(item) as ListedItem);
}
