import type { AdminService } from "../../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus, OrderStatusSchema } from "../../gen/store/v1/store_pb.ts";
import type { Caller } from "../access/caller.ts";
import { enumWord } from "../call/enum-word.ts";
import type { ServiceFunctions } from "../call/service.ts";
import {
  fieldsInvalid,
  orderNotFound,
  orderStatusConflict,
  petExists,
  petNotFound,
} from "../errors.ts";
import { originOf } from "../inventory/change-once.ts";
import type { InventoryStore } from "../inventory/inventory-store.ts";
import { itemMessage, itemOf } from "../inventory/item-message.ts";
import type { OrderStore } from "../orders/order-store.ts";
import { orderMessage } from "../orders/store-service.ts";
import { importRows, putItems } from "./import-rows.ts";

/** The reason in the history for pets that are created or imported. */
const imported = { reason: ChangeReason.IMPORT };

/** Creates the methods of admin.v1.AdminService for the catalogue and the progress of orders. */
export function catalogueFunctions(inventory: InventoryStore, orders: OrderStore) {
  return {
    async createItem({ item }, call) {
      const created = itemOf(item);
      if (!(await inventory.create(created, originOf(call, imported), call))) {
        throw petExists(created.petId);
      }
      return { item: itemMessage(created) };
    },

    async importItems({ items }, call) {
      return putItems(inventory, items.map(itemOf), originOf(call, imported), undefined, call);
    },

    importInventory: (requests, call) =>
      importRows(inventory, requests, originOf(call, imported), call),

    async setItemStatus({ petId, status }, call) {
      const item = await inventory.setStatus(petId, status, originOf(call, {}), call);
      if (!item) {
        throw petNotFound(petId);
      }
      return { item: itemMessage(item) };
    },

    async removeItem({ petId }, call) {
      const item = await inventory.remove(petId, originOf(call, {}), call);
      if (!item) {
        throw petNotFound(petId);
      }
      return { item: itemMessage(item) };
    },

    async advanceOrder({ accountId, orderId, status }, call) {
      if (status !== OrderStatus.APPROVED && status !== OrderStatus.DELIVERED) {
        throw fieldsInvalid([{ field: "status", description: "must be approved or delivered" }]);
      }
      const advanced = await orders.advance(accountId, orderId, status, call);
      if (advanced === "no_order") {
        throw orderNotFound(orderId);
      }
      if (!("orderId" in advanced)) {
        throw orderStatusConflict(orderId, enumWord(OrderStatusSchema, advanced.status));
      }
      return { order: orderMessage(advanced) };
    },
  } satisfies Partial<ServiceFunctions<typeof AdminService, Caller>>;
}
