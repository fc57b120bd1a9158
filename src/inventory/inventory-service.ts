import { create } from "@bufbuild/protobuf";
import {
  type InventoryItem,
  InventoryItemSchema,
  type InventoryService,
} from "../../gen/inventory/v1/inventory_pb.ts";
import type { Caller } from "../access/caller.ts";
import type { ServiceFunctions } from "../call/service.ts";
import { petNotFound } from "../errors.ts";
import type { InventoryStore, Item } from "./inventory-store.ts";

/** The inventory as its clients see it: inventory.v1.InventoryService. */
export function createInventoryService(
  store: InventoryStore,
): ServiceFunctions<typeof InventoryService, Caller> {
  return {
    async listInventory() {
      const { items } = await store.list();
      return { items: items.map(itemMessage) };
    },

    async updateInventory({ petId, update }) {
      const outcome = await store.setQuantity(petId, requiredQuantity(update));
      if (outcome.kind !== "changed") {
        throw petNotFound(petId);
      }
      return { item: itemMessage(outcome.item) };
    },
  };
}

/** A stored item as a message. */
export function itemMessage(item: Item): InventoryItem {
  return create(InventoryItemSchema, item);
}

/** The item of a message whose required fields were checked. */
export function itemOf(message: InventoryItem | undefined): Item {
  if (!message) {
    throw new Error("a request without its required item passed validation");
  }
  return { petId: message.petId, quantity: requiredQuantity(message), status: message.status };
}

/** A quantity that the contract requires: validation has refused messages without it. */
function requiredQuantity(message: { quantity?: number } | undefined): number {
  if (message?.quantity === undefined) {
    throw new Error("a message without its required quantity passed validation");
  }
  return message.quantity;
}
