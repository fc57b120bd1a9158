import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { storeContext } from "../../common/call-context.ts";
import type { Item } from "../../stores/inventory-store.ts";
import { itemMessage, itemOf } from "../../stores/item-message.ts";
import type { Stores } from "../../stores/stores.ts";
import { recordOrigin } from "../inventory/change-once.ts";
import { petExists, petHeld, petNotFound } from "../inventory/errors.ts";
import { importStream, putItems } from "./import-stream.ts";

/** The reason in the history for pets that are created or imported. */
const imported = { reason: ChangeReason.IMPORT };

/** Creates the methods of admin.v1.AdminService for the catalogue. */
export function catalogueFunctions({ inventory }: Pick<Stores, "inventory">) {
  return {
    async createItem({ item }, context) {
      const created = itemOf(item);
      const origin = recordOrigin(context, imported);
      const isNew = await inventory.create(created, origin, storeContext(context));
      if (!isNew) throw petExists(created.petId);
      return { item: itemMessage(created) };
    },
    async importItems({ items }, context) {
      const origin = recordOrigin(context, imported);
      return putItems(inventory, items.map(itemOf), { origin }, storeContext(context));
    },
    importInventory: (requests, context) =>
      importStream(inventory, requests, recordOrigin(context, imported), storeContext(context)),
    async setItemStatus({ petId, status }, context) {
      const origin = recordOrigin(context);
      const changed = await inventory.setStatus(petId, status, origin, storeContext(context));
      return responseOf(petId, changed);
    },
    async removeItem({ petId }, context) {
      const removed = await inventory.remove(petId, recordOrigin(context), storeContext(context));
      if (removed === "held") throw petHeld(petId);
      return responseOf(petId, removed);
    },
  } satisfies Partial<ServiceImpl<typeof AdminService>>;
}

/** @throws ConnectError not_found if there is no such pet */
function responseOf(petId: bigint, item: Item | undefined) {
  if (!item) throw petNotFound(petId);
  return { item: itemMessage(item) };
}
