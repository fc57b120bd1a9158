import type { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Caller } from "../../access/caller.ts";
import type { ServiceFunctions } from "../../call/service.ts";
import type { Item } from "../../stores/inventory-store.ts";
import { itemMessage, itemOf } from "../../stores/item-message.ts";
import type { Stores } from "../../stores/stores.ts";
import { petExists, petHeld, petNotFound } from "../inventory/errors.ts";
import { originOf } from "../inventory/inventory-service.ts";
import { importRows, putItems } from "./import-rows.ts";

/** The reason in the history for pets that are created or imported. */
const imported = { reason: ChangeReason.IMPORT };

/** Creates the methods of admin.v1.AdminService for the catalogue. */
export function catalogueFunctions(stores: Pick<Stores, "inventory">) {
  return {
    async createItem({ item }, call) {
      const created = itemOf(item);
      if (!(await stores.inventory.create(created, originOf(call, imported), call))) {
        throw petExists(created.petId);
      }
      return { item: itemMessage(created) };
    },

    async importItems({ items }, call) {
      return putItems(
        stores.inventory,
        items.map(itemOf),
        originOf(call, imported),
        undefined,
        call,
      );
    },

    importInventory: (requests, call) =>
      importRows(stores.inventory, requests, originOf(call, imported), call),

    async setItemStatus({ petId, status }, call) {
      return responseOf(
        petId,
        await stores.inventory.setStatus(petId, status, originOf(call, {}), call),
      );
    },

    async removeItem({ petId }, call) {
      const removed = await stores.inventory.remove(petId, originOf(call, {}), call);
      if (removed === "held") throw petHeld(petId);
      return responseOf(petId, removed);
    },
  } satisfies Partial<ServiceFunctions<typeof AdminService, Caller>>;
}

/** @throws ConnectError not_found if there is no such pet */
function responseOf(petId: bigint, item: Item | undefined) {
  if (!item) throw petNotFound(petId);
  return { item: itemMessage(item) };
}
