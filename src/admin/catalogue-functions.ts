import type { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { OrderStatus, OrderStatusSchema } from "../../gen/store/v1/store_pb.ts";
import type { Caller } from "../access/caller.ts";
import { enumWord } from "../call/enum-word.ts";
import type { ServiceFunctions } from "../call/service.ts";
import {
  fieldsInvalid,
  orderNotFound,
  orderStatusInTheWay,
  petExists,
  petNotFound,
} from "../errors.ts";
import { itemMessage, itemOf } from "../inventory/inventory-service.ts";
import type { InventoryStore, Item } from "../inventory/inventory-store.ts";
import type { OrderStore } from "../store/order-store.ts";
import { orderMessage } from "../store/store-service.ts";

/** The part of admin.v1.AdminService that is about the catalogue and the course of orders. */
export function catalogueFunctions(inventory: InventoryStore, orders: OrderStore) {
  return {
    async createItem({ item }) {
      const created = itemOf(item);
      if (!(await inventory.create(created))) {
        throw petExists(created.petId);
      }
      return { item: itemMessage(created) };
    },

    async importItems({ items }) {
      const imported = items.map(itemOf);
      refuseRepeatedPets(imported);
      return inventory.put(imported);
    },

    async setItemStatus({ petId, status }) {
      const item = await inventory.setStatus(petId, status);
      if (!item) {
        throw petNotFound(petId);
      }
      return { item: itemMessage(item) };
    },

    async removeItem({ petId }) {
      const item = await inventory.remove(petId);
      if (!item) {
        throw petNotFound(petId);
      }
      return { item: itemMessage(item) };
    },

    async advanceOrder({ accountId, orderId, status }) {
      if (status !== OrderStatus.APPROVED && status !== OrderStatus.DELIVERED) {
        throw fieldsInvalid([{ field: "status", description: "must be approved or delivered" }]);
      }
      const advanced = await orders.advance(accountId, orderId, status);
      if (advanced === "no_order") {
        throw orderNotFound(orderId);
      }
      if (!("orderId" in advanced)) {
        throw orderStatusInTheWay(orderId, enumWord(OrderStatusSchema, advanced.status));
      }
      return { order: orderMessage(advanced) };
    },
  } satisfies Partial<ServiceFunctions<typeof AdminService, Caller>>;
}

function refuseRepeatedPets(items: readonly Item[]): void {
  const seen = new Map<bigint, number>();
  items.forEach(({ petId }, index) => {
    const first = seen.get(petId);
    if (first !== undefined) {
      throw fieldsInvalid([
        { field: `items[${index}].pet_id`, description: `is that of items[${first}] again` },
      ]);
    }
    seen.set(petId, index);
  });
}
