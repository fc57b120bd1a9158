import { InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Caller } from "../../access/caller.ts";
import type { Call } from "../../call/method.ts";
import type { ServiceFunctions } from "../../call/service.ts";
import { fieldsInvalid, petNotFound } from "../../contract/errors.ts";
import type { Changed, InventoryStore, VersionedItem } from "../../stores/inventory-store.ts";
import { itemMessage, required } from "../../stores/item-message.ts";
import type { Refusal } from "../../stores/stock-change.ts";
import { changeMessage, seesOrigin } from "./change-message.ts";
import { changeOnce, conditionsOf } from "./change-once.ts";
import { historyPage } from "./history-pages.ts";
import type { OneAtATime } from "./idempotency.ts";
import { versionEntityTag } from "./if-match.ts";
import { listItems } from "./inventory-list.ts";
import { batchError, refusalError } from "./refusals.ts";

const methods = InventoryService.method;

/** The functions of inventory.v1.InventoryService, except `watchInventory`. */
export function createInventoryService(
  store: InventoryStore,
  oneAtATime: OneAtATime,
): Omit<ServiceFunctions<typeof InventoryService, Caller>, "watchInventory"> {
  async function changes(
    petId: bigint | undefined,
    request: { pageSize?: number; pageToken: string },
    call: Call<Caller>,
  ) {
    const page = await historyPage(store, petId, request, call);
    return (
      page && {
        changes: page.changes.map((change) =>
          changeMessage(change, seesOrigin(call.caller, change)),
        ),
        nextPageToken: page.nextPageToken,
      }
    );
  }

  return {
    async listInventory(request, call) {
      const list = await listItems(store, request, call);
      call.responseHeaders.set("etag", versionEntityTag(list.version));
      return list;
    },

    async getInventoryItem({ petId }, call) {
      const item = await store.get(petId, call);
      if (!item) throw petNotFound(petId);
      return itemResponse(call, item);
    },

    updateInventory(request, call) {
      const { petId, update } = request;
      return changeOnce(
        oneAtATime,
        call,
        methods.updateInventory,
        request,
        (change) => {
          const conditions = conditionsOf(call, request);
          const quantity = required(update?.quantity);
          return store.setQuantity(petId, quantity, { ...change, conditions }, call);
        },
        (outcome: Changed | Refusal) => {
          if (outcome.kind !== "changed") throw refusalError(petId, outcome);
          return itemResponse(call, outcome.item);
        },
      );
    },

    async adjustInventory(request, call) {
      const { petId } = request;
      const delta = required(request.delta);
      return changeOnce(
        oneAtATime,
        call,
        methods.adjustInventory,
        request,
        (change) => {
          const conditions = conditionsOf(call, request);
          return store.adjust(petId, delta, { ...change, conditions }, call);
        },
        (outcome: Changed | Refusal) => {
          if (outcome.kind !== "changed") throw refusalError(petId, outcome, delta);
          return itemResponse(call, outcome.item);
        },
      );
    },

    async batchUpdateInventory(request, call) {
      const { updates } = request;
      for (const field of ["If-Match", "If-None-Match"]) {
        if (!call.requestHeaders.has(field)) continue;
        const description = "is not allowed in a batch: set expected_version of each update";
        throw fieldsInvalid([{ field, description }]);
      }
      return changeOnce(
        oneAtATime,
        call,
        methods.batchUpdateInventory,
        request,
        (change) =>
          store.setQuantities(
            updates.map(({ petId, quantity, expectedVersion, expectedQuantity }) => ({
              petId,
              quantity: required(quantity),
              expectedVersions: expectedVersion === undefined ? undefined : [expectedVersion],
              expectedQuantity,
            })),
            change,
            call,
          ),
        (outcome) => {
          if (outcome.kind === "refused") throw batchError(outcome);
          return {
            items: outcome.items.map((item) => ({
              item: itemMessage(item),
              version: item.version,
            })),
          };
        },
      );
    },

    async listInventoryChanges(request, call) {
      return (await changes(undefined, request, call)) ?? {};
    },

    async listItemChanges(request, call) {
      const page = await changes(request.petId, request, call);
      if (!page) throw petNotFound(request.petId);
      return page;
    },
  };
}

/** Makes the response with an item, and sets the entity tag. */
function itemResponse({ responseHeaders }: Call<Caller>, item: VersionedItem) {
  responseHeaders.set("etag", versionEntityTag(item.version));
  return { item: itemMessage(item), version: item.version };
}
