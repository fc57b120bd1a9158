import type { DescMessage } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { ChangeReason, InventoryService } from "../../../gen/inventory/v1/inventory_pb.ts";
import { callerOf } from "../../access/caller.ts";
import { storeContext } from "../../common/call-context.ts";
import { present } from "../../common/present.ts";
import type { AllChanged, Changed, VersionedItem } from "../../stores/inventory-store.ts";
import { itemMessage } from "../../stores/item-message.ts";
import type { ChangeRequest, Outcome, Refusal } from "../../stores/stock-change.ts";
import type { Stores } from "../../stores/stores.ts";
import { changeMessage, viewOf } from "./change-message.ts";
import type { ChangeFields, ChangeOnce, KeyedCall } from "./change-once.ts";
import { petNotFound } from "./errors.ts";
import { type ChangesRequest, historyPage } from "./history-pages.ts";
import { conditionsOf, type OwnConditions, ownConditions, versionEntityTag } from "./if-match.ts";
import { listItems } from "./list-items.ts";
import { listLevels } from "./list-levels.ts";
import { type AnyBatchRefused, type BatchField, batchError, refusalError } from "./refusals.ts";

const methods = InventoryService.method;

/** The functions of inventory.v1.InventoryService, except `watchInventory`. */
export function createInventoryService(
  { inventory }: Pick<Stores, "inventory">,
  changeOnce: ChangeOnce,
): Omit<ServiceImpl<typeof InventoryService>, "watchInventory"> {
  async function changes(
    petId: bigint | undefined,
    request: ChangesRequest,
    context: HandlerContext,
  ) {
    const page = await historyPage(inventory, petId, request, storeContext(context));
    if (!page) return undefined;
    const caller = callerOf(context);
    const messages = page.changes.map((each) => changeMessage(each, viewOf(caller, each)));
    return { changes: messages, nextPageToken: page.nextPageToken };
  }

  /** Changes the quantity of one pet. */
  function changeOne<D extends DescMessage>(
    call: KeyedCall<D> & { readonly request: OwnConditions & { readonly petId: bigint } },
    number: { readonly quantity: number } | { readonly delta: number },
  ) {
    const { request, context } = call;
    const { petId } = request;
    const make = (change: ChangeRequest) => {
      const conditions = conditionsOf(context.requestHeader, request);
      return inventory.change({ petId, ...number, ...conditions }, change, storeContext(context));
    };
    return changeOnce(call, make, (outcome: Changed | Refusal) => {
      if (outcome.kind === "changed") return itemResponse(context, outcome.item);
      throw refusalError(petId, outcome, "delta" in number ? number.delta : undefined);
    });
  }

  /** Changes the quantities of several pets, all or none. @param list the field of the changes, for errors */
  function changeAll<D extends DescMessage>(
    call: KeyedCall<D>,
    list: BatchField,
    make: (change: ChangeRequest) => Promise<Outcome<AllChanged | AnyBatchRefused>>,
    fields?: ChangeFields,
  ) {
    const respond = (outcome: AllChanged | AnyBatchRefused) => {
      if (outcome.kind === "refused") throw batchError(list, outcome);
      return {
        items: outcome.items.map((item) => ({ item: itemMessage(item), version: item.version })),
      };
    };
    return changeOnce(call, make, respond, fields);
  }

  return {
    listInventory: (request, context) => listItems(inventory, request, context),
    async getInventoryItem({ petId }, context) {
      const item = await inventory.get(petId, storeContext(context));
      if (!item) throw petNotFound(petId);
      return itemResponse(context, item);
    },
    listStockLevels: (request, context) => listLevels(inventory, request, storeContext(context)),
    updateInventory(request, context) {
      const quantity = present(request.update?.quantity, "the quantity of an update");
      return changeOne({ method: methods.updateInventory, request, context }, { quantity });
    },
    async adjustInventory(request, context) {
      const delta = present(request.delta, "the delta of an adjustment");
      return changeOne({ method: methods.adjustInventory, request, context }, { delta });
    },
    async batchUpdateInventory(request, context) {
      const updates = request.updates.map((each) => ({
        petId: each.petId,
        quantity: present(each.quantity, "the quantity of an update"),
        ...ownConditions(each),
      }));
      const call = { method: methods.batchUpdateInventory, request, context };
      return changeAll(call, "updates", (change) =>
        inventory.changeAll(updates, change, storeContext(context)),
      );
    },
    async batchAdjustInventory(request, context) {
      const deltas = request.adjustments.map((each) => ({
        petId: each.petId,
        delta: present(each.delta, "the delta of an adjustment"),
        ...ownConditions(each),
      }));
      const call = { method: methods.batchAdjustInventory, request, context };
      return changeAll(call, "adjustments", (change) =>
        inventory.changeAll(deltas, change, storeContext(context)),
      );
    },
    async countInventory(request, context) {
      const counts = request.counts.map(({ petId, counted, expectedOnHand }) => ({
        petId,
        counted: present(counted, "the number of a count"),
        expectedOnHand,
      }));
      const { note, reference } = request;
      return changeAll(
        { method: methods.countInventory, request, context },
        "counts",
        (change) => inventory.count(counts, change, storeContext(context)),
        { reason: ChangeReason.COUNT, note, reference },
      );
    },
    async listInventoryChanges(request, context) {
      return (await changes(undefined, request, context)) ?? {};
    },
    async listItemChanges(request, context) {
      const page = await changes(request.petId, request, context);
      if (!page) throw petNotFound(request.petId);
      return page;
    },
  };
}

function itemResponse({ responseHeader }: HandlerContext, item: VersionedItem) {
  responseHeader.set("etag", versionEntityTag(item.version));
  return { item: itemMessage(item), version: item.version };
}
