import type { DescMessage, DescMethod, MessageShape } from "@bufbuild/protobuf";
import {
  ChangeReason,
  ChangeReasonSchema,
  InventoryService,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Caller } from "../../access/caller.ts";
import { enumWord } from "../../call/enum-word.ts";
import type { Call } from "../../call/method.ts";
import { present } from "../../call/present.ts";
import type { ServiceFunctions } from "../../call/service.ts";
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
): Omit<ServiceFunctions<typeof InventoryService, Caller>, "watchInventory"> {
  async function changes(
    petId: bigint | undefined,
    request: { pageSize?: number; pageToken: string },
    call: Call<Caller>,
  ) {
    const page = await historyPage(stores.inventory, petId, request, call);
    return (
      page && {
        changes: page.changes.map((change) =>
          changeMessage(change, seesOrigin(call.caller, change)),
        ),
        nextPageToken: page.nextPageToken,
      }
    );
  }

  /** Changes the quantity of one pet. @param delta for the error of an adjustment */
  function changeOne<D extends DescMessage>(
    call: Call<Caller>,
    method: DescMethod & { readonly input: D },
    request: MessageShape<D> & Repeatable & OwnConditions & { readonly petId: bigint },
    make: (change: ChangeRequest) => Promise<Outcome<Changed | Refusal>>,
    delta?: number,
  ) {
    return changeOnce(
      oneAtATime,
      call,
      method,
      request,
      (change) => make({ ...change, conditions: conditionsOf(call.requestHeaders, request) }),
      (outcome: Changed | Refusal) => {
        if (outcome.kind !== "changed") throw refusalError(request.petId, outcome, delta);
        return itemResponse(call, outcome.item);
      },
    );
  }

  /** Changes the quantities of several pets, all or none. @param list the field of the changes, for errors */
  function changeAll<D extends DescMessage>(
    call: Call<Caller>,
    method: DescMethod & { readonly input: D },
    request: MessageShape<D> & Repeatable,
    list: "updates" | "adjustments",
    make: (change: ChangeRequest) => Promise<Outcome<AllChanged | BatchRefused>>,
  ) {
    return changeOnce(oneAtATime, call, method, request, make, (outcome) => {
      if (outcome.kind === "refused") throw batchError(list, outcome);
      return {
        items: outcome.items.map((item) => ({ item: itemMessage(item), version: item.version })),
      };
    });
  }

  return {
    listInventory(request, call) {
      return listItems(stores.inventory, request, call);
    },

    async getInventoryItem({ petId }, call) {
      const item = await stores.inventory.get(petId, call);
      if (!item) throw petNotFound(petId);
      return itemResponse(call, item);
    },

    updateInventory(request, call) {
      const { petId, update } = request;
      return changeOne(call, methods.updateInventory, request, (change) => {
        const quantity = present(update?.quantity, "the quantity of an update");
        return stores.inventory.setQuantity(petId, quantity, change, call);
      });
    },

    async adjustInventory(request, call) {
      const delta = present(request.delta, "the delta of an adjustment");
      return changeOne(
        call,
        methods.adjustInventory,
        request,
        (change) => stores.inventory.adjust(request.petId, delta, change, call),
        delta,
      );
    },

    async batchUpdateInventory(request, call) {
      return changeAll(call, methods.batchUpdateInventory, request, "updates", (change) => {
        const updates = request.updates.map((each) => ({
          petId: each.petId,
          quantity: present(each.quantity, "the quantity of an update"),
          ...ownConditions(each),
        }));
        return stores.inventory.setQuantities(updates, change, call);
      });
    },

    async batchAdjustInventory(request, call) {
      return changeAll(call, methods.batchAdjustInventory, request, "adjustments", (change) => {
        const deltas = request.adjustments.map((each) => ({
          petId: each.petId,
          delta: present(each.delta, "the delta of an adjustment"),
          ...ownConditions(each),
        }));
        return stores.inventory.adjustQuantities(deltas, change, call);
      });
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

/** Fields of a request that describe its change. */
interface ChangeFields {
  readonly reason?: ChangeReason;
  readonly note?: string;
  readonly reference?: string;
}

/** Returns the origin of a change, and notes its reason in the record of the request. */
export function originOf(
  { caller, requestId, record }: Pick<Call<Caller>, "caller" | "requestId" | "record">,
  fields: ChangeFields,
): Origin {
  const reason = fields.reason || ChangeReason.ADJUSTMENT;
  if (record) record.changed = enumWord(ChangeReasonSchema, reason);
  return {
    reason,
    note: fields.note ?? "",
    reference: fields.reference ?? "",
    accountId: caller.accountId,
    keyId: caller.keyId,
    requestId,
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
  call: Call<Caller>,
  method: DescMethod & { readonly input: D },
  request: MessageShape<D> & Repeatable,
  make: (change: ChangeRequest) => Promise<Outcome<T>>,
  respond: (outcome: T) => R,
  fields: ChangeFields = request,
): Promise<R> {
  const origin = originOf(call, fields);
  const idempotency = idempotencyOf(method, request, call.requestHeaders);
  if (call.caller.isStrict) checkStrict(request, call.requestHeaders, idempotency);
  const outcome = await oneAtATime(origin.accountId, idempotency, () =>
    make({ origin, idempotency }),
  );
  if (outcome.replayed) {
    call.setHeader("Idempotency-Replayed", "true");
    if (call.record) call.record.isReplay = true;
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
