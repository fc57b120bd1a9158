import type { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../../gen/inventory/v1/inventory_pb.ts";
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
import { originOf } from "../inventory/changing.ts";
import type { InventoryStore } from "../inventory/inventory-store.ts";
import { itemMessage, itemOf } from "../inventory/item-message.ts";
import type { OrderStore } from "../store/order-store.ts";
import { orderMessage } from "../store/store-service.ts";
import { importRows, putItems } from "./import-rows.ts";

/** What is said of a change that writes the catalogue. */
const written = { reason: ChangeReason.IMPORT };

/** The part of admin.v1.AdminService that is about the catalogue and the course of orders. */
export function catalogueFunctions(inventory: InventoryStore, orders: OrderStore) {
  return {
    async createItem({ item }, call) {
      const created = itemOf(item);
      if (!(await inventory.create(created, originOf(call, written)))) {
        throw petExists(created.petId);
      }
      return { item: itemMessage(created) };
    },

    async importItems({ items }, call) {
      return putItems(inventory, items.map(itemOf), originOf(call, written));
    },

    importInventory: (requests, call) => importRows(inventory, requests, originOf(call, written)),

    async setItemStatus({ petId, status }, call) {
      const item = await inventory.setStatus(petId, status, originOf(call, {}));
      if (!item) {
        throw petNotFound(petId);
      }
      return { item: itemMessage(item) };
    },

    async removeItem({ petId }, call) {
      const item = await inventory.remove(petId, originOf(call, {}));
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
