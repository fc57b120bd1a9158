import type { DescMessage, DescMethod, MessageShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  ChangeReason,
  ChangeReasonSchema,
  InventoryService,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { callerOf } from "../../access/caller.ts";
import { enumWord } from "../../call/enum-word.ts";
import { present } from "../../call/present.ts";
import { type HasValues, requestOf, storeContext } from "../../call/request-info.ts";
import type {
  AllChanged,
  BatchRefused,
  Changed,
  VersionedItem,
} from "../../stores/inventory-store.ts";
import { itemMessage } from "../../stores/item-message.ts";
import type { ChangeRequest, Origin, Outcome, Refusal } from "../../stores/stock-change.ts";
import type { Stores } from "../../stores/stores.ts";
import { changeMessage, seesOrigin } from "./change-message.ts";
import { idempotencyKeyReused, petNotFound } from "./errors.ts";
import { historyPage } from "./history-pages.ts";
import { idempotencyOf, type OneAtATime } from "./idempotency.ts";
import { conditionsOf, type OwnConditions, ownConditions, versionEntityTag } from "./if-match.ts";
import { listItems } from "./list-items.ts";
import { batchError, refusalError } from "./refusals.ts";
import { checkStrict } from "./write-policy.ts";

const methods = InventoryService.method;

/** The functions of inventory.v1.InventoryService, except `watchInventory`. */
export function createInventoryService(
  stores: Pick<Stores, "inventory">,
  oneAtATime: OneAtATime,
): Omit<ServiceImpl<typeof InventoryService>, "watchInventory"> {
  async function changes(
    petId: bigint | undefined,
    request: { pageSize?: number; pageToken: string },
    context: HandlerContext,
  ) {
    const page = await historyPage(stores.inventory, petId, request, storeContext(context));
    return (
      page && {
        changes: page.changes.map((change) =>
          changeMessage(change, seesOrigin(callerOf(context), change)),
        ),
        nextPageToken: page.nextPageToken,
      }
    );
  }

  /** Changes the quantity of one pet. @param delta for the error of an adjustment */
  function changeOne<D extends DescMessage>(
    context: HandlerContext,
    method: DescMethod & { readonly input: D },
    request: MessageShape<D> & Repeatable & OwnConditions & { readonly petId: bigint },
    make: (change: ChangeRequest) => Promise<Outcome<Changed | Refusal>>,
    delta?: number,
  ) {
    return changeOnce(
      oneAtATime,
      context,
      method,
      request,
      (change) => make({ ...change, conditions: conditionsOf(context.requestHeader, request) }),
      (outcome: Changed | Refusal) => {
        if (outcome.kind !== "changed") throw refusalError(request.petId, outcome, delta);
        return itemResponse(context, outcome.item);
      },
    );
  }

  /** Changes the quantities of several pets, all or none. @param list the field of the changes, for errors */
  function changeAll<D extends DescMessage>(
    context: HandlerContext,
    method: DescMethod & { readonly input: D },
    request: MessageShape<D> & Repeatable,
    list: "updates" | "adjustments",
    make: (change: ChangeRequest) => Promise<Outcome<AllChanged | BatchRefused>>,
  ) {
    return changeOnce(oneAtATime, context, method, request, make, (outcome) => {
      if (outcome.kind === "refused") throw batchError(list, outcome);
      return {
        items: outcome.items.map((item) => ({ item: itemMessage(item), version: item.version })),
      };
    });
  }

  return {
    listInventory(request, context) {
      return listItems(stores.inventory, request, context);
    },

    async getInventoryItem({ petId }, context) {
      const item = await stores.inventory.get(petId, storeContext(context));
      if (!item) throw petNotFound(petId);
      return itemResponse(context, item);
    },

    updateInventory(request, context) {
      const { petId, update } = request;
      return changeOne(context, methods.updateInventory, request, (change) => {
        const quantity = present(update?.quantity, "the quantity of an update");
        return stores.inventory.setQuantity(petId, quantity, change, storeContext(context));
      });
    },

    async adjustInventory(request, context) {
      const delta = present(request.delta, "the delta of an adjustment");
      return changeOne(
        context,
        methods.adjustInventory,
        request,
        (change) => stores.inventory.adjust(request.petId, delta, change, storeContext(context)),
        delta,
      );
    },

    async batchUpdateInventory(request, context) {
      return changeAll(context, methods.batchUpdateInventory, request, "updates", (change) => {
        const updates = request.updates.map((each) => ({
          petId: each.petId,
          quantity: present(each.quantity, "the quantity of an update"),
          ...ownConditions(each),
        }));
        return stores.inventory.setQuantities(updates, change, storeContext(context));
      });
    },

    async batchAdjustInventory(request, context) {
      return changeAll(context, methods.batchAdjustInventory, request, "adjustments", (change) => {
        const deltas = request.adjustments.map((each) => ({
          petId: each.petId,
          delta: present(each.delta, "the delta of an adjustment"),
          ...ownConditions(each),
        }));
        return stores.inventory.adjustQuantities(deltas, change, storeContext(context));
      });
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

/** Makes the response with an item, and sets the entity tag. */
function itemResponse({ responseHeader }: HandlerContext, item: VersionedItem) {
  responseHeader.set("etag", versionEntityTag(item.version));
  return { item: itemMessage(item), version: item.version };
}

/** Fields of a request that describe its change. */
interface ChangeFields {
  readonly reason?: ChangeReason;
  readonly note?: string;
  readonly reference?: string;
}

/** Returns the origin of a change, and notes its reason in the record of the request. */
export function originOf(context: HasValues, fields: ChangeFields): Origin {
  const { accountId, keyId } = callerOf(context);
  const { id, record } = requestOf(context);
  const reason = fields.reason || ChangeReason.ADJUSTMENT;
  if (record) record.changed = enumWord(ChangeReasonSchema, reason);
  return {
    reason,
    note: fields.note ?? "",
    reference: fields.reference ?? "",
    accountId,
    keyId,
    requestId: id,
  };
}

/** Fields of a request that can be repeated. */
interface Repeatable extends ChangeFields {
  readonly idempotencyKey: string;
}

/**
 * Changes the stock, once for each idempotency key. A repeated request gets the same response or error as the first,
 * with the header `Idempotency-Replayed: true`.
 *
 * @param make makes the change
 * @param respond makes the response from the outcome; throws the error of a refusal
 * @param fields what describes the change, if it is not in the request
 * @throws ConnectError when the idempotency key is invalid or in use, or the write policy does not allow the request, and
 * any error that `respond` throws
 */
export async function changeOnce<D extends DescMessage, T, R>(
  oneAtATime: OneAtATime,
  context: HandlerContext,
  method: DescMethod & { readonly input: D },
  request: MessageShape<D> & Repeatable,
  make: (change: ChangeRequest) => Promise<Outcome<T>>,
  respond: (outcome: T) => R,
  fields: ChangeFields = request,
): Promise<R> {
  const origin = originOf(context, fields);
  const idempotency = idempotencyOf(method, request, context.requestHeader);
  if (callerOf(context).isStrict) checkStrict(request, context.requestHeader, idempotency);
  const outcome = await oneAtATime(origin.accountId, idempotency, () =>
    make({ origin, idempotency }),
  );
  if (outcome.replayed) {
    context.responseHeader.set("Idempotency-Replayed", "true");
    const { record } = requestOf(context);
    if (record) record.isReplay = true;
  }
  if (isKeyReused(outcome))
    throw idempotencyKeyReused(present(idempotency?.key, "the idempotency key"));
  return respond(outcome);
}

function isKeyReused<T>(
  outcome: Outcome<T>,
): outcome is Extract<Outcome<T>, { kind: "key_reused" }> {
  return (outcome as { kind?: unknown }).kind === "key_reused";
}
