import { create } from "@bufbuild/protobuf";
import { type InventoryItem, InventoryItemSchema } from "../../gen/inventory/v1/inventory_pb.ts";
import type { Item, ListedItem } from "./inventory-store.ts";

/** A stored item as a message. */
export function itemMessage({ petId, quantity, status }: Item): InventoryItem {
  return create(InventoryItemSchema, { petId, quantity, status });
}

/**
 * A stored item as an entry of the whole list. It is frozen, so that all lists which have it can share it, and
 * all that is made of it.
 */
export function listedItem({ petId, quantity, status }: Item): ListedItem {
  return Object.freeze(create(InventoryItemSchema, { petId, quantity, status }) as ListedItem);
}

/** The item of a message whose required fields were checked. */
export function itemOf(message: InventoryItem | undefined): Item {
  if (!message) {
    throw new Error("a request without its required item passed validation");
  }
  return {
    petId: message.petId,
    quantity: required(message.quantity),
    status: message.status,
  };
}

/** A value that the contract requires: validation has refused messages without it. */
export function required<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new Error("a message without its required field passed validation");
  }
  return value;
}
