import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { callerOf } from "../access/caller.ts";
import type { ChangePaid, Costs } from "../access/change-paid.ts";
import { accountDisabled, keyInvalid } from "../access/errors.ts";
import type { UsageCounter } from "../access/usage-counter.ts";
import { storeContext } from "../common/call-context.ts";
import { present } from "../common/present.ts";
import type { AdmissionStore, Quota } from "../stores/admission-store.ts";
import { banError } from "./admission.ts";
import type { BanWatch } from "./ban-watch.ts";
import { type BatchCost, batchCostOf, requestsOf, subjectOf } from "./batch-cost.ts";
import { batchLimited, batchOverLimit, fullWindows, lowestLimit } from "./limit-errors.ts";
import { limitHeaders, setLimitHeaders } from "./limit-headers.ts";

/**
 * Counts the other requests of a call that counts as several, of which admission has counted the first, and updates the
 * limit headers. A call that exceeds a limit is refused and does not count at all.
 *
 * @param items how many items the call has
 * @returns undefined if the call costs one request, or calls of the caller are not counted
 * @throws ConnectError when the cost exceeds a limit, or the key is not valid any more
 */
export type ChargeItems = (
  cost: BatchCost,
  items: number,
  context: HandlerContext,
) => Promise<void> | undefined;

/** Counts the requests that a call costs beyond its first one, as {@link ChargeItems} does. */
export type Charge = (request: Message, context: HandlerContext) => Promise<void> | undefined;

export function createCharge(
  stores: { readonly admission: Pick<AdmissionStore, "charge"> },
  bans?: BanWatch,
  usage?: UsageCounter,
): ChargeItems {
  return (cost, items, context) => {
    const caller = callerOf(context);
    const { counted } = caller;
    const requests = requestsOf(cost, items);
    if (requests <= 1 || !counted) return undefined;
    return stores.admission.charge(counted, requests, storeContext(context)).then((quota) => {
      if (quota.verdict === "unknown") throw keyInvalid();
      setLimitHeaders(context, limitHeaders(quota));
      const { verdict, decidedAt, ban } = quota;
      if (verdict === "admitted") {
        usage?.count(caller, verdict, decidedAt, requests - 1);
        return;
      }
      // All of a refused call is counted as refused. Calls of disabled accounts are not counted.
      usage?.count(caller, "admitted", counted.countedAt, -1);
      if (verdict === "disabled") throw accountDisabled();
      usage?.count(caller, verdict, decidedAt, requests);
      const { accountId, keyId } = caller;
      if (ban) bans?.banned({ accountId, keyId, ...ban }, quota.retryInMs);
      throw verdict === "banned" ? banError(quota) : limitError(quota, requests, cost);
    });
  };
}

/**
 * Applies the `rules.v1.cost` option of a method whose requests have all of its items.
 *
 * @returns undefined when the method has no such option, or its function charges the calls (see {@link storedCharge})
 * @throws Error at start-up when the option is not valid
 */
export function chargeOf(method: DescMethod, charge: ChargeItems): Charge | undefined {
  const cost = batchCostOf(method);
  if (!cost?.field || cost.maxStoredItems > 0) return undefined;
  const { field } = cost;
  return (request, context) => {
    const list = (request as Message & Readonly<Record<string, unknown>>)[field];
    return charge(cost, (list as readonly unknown[]).length, context);
  };
}

/** Applies the `rules.v1.cost` option of a method that counts stored items. */
export function storedCharge(method: DescMethod, charge: ChargeItems): ChangePaid {
  const cost = present(batchCostOf(method), "the cost of a method that counts stored items");
  const { itemsPerRequest } = cost;
  return async (context, change) => {
    // Admission has counted one request.
    let paid = callerOf(context).counted ? itemsPerRequest : Number.POSITIVE_INFINITY;
    for (;;) {
      const outcome = await change(paid);
      if (!isCosts(outcome)) return outcome;
      // If the resource has grown since it was charged, only the difference is charged.
      await charge(cost, outcome.items - paid + itemsPerRequest, context);
      paid = requestsOf(cost, outcome.items) * itemsPerRequest;
    }
  };
}

/** Counts the requests that the messages of a call cost, each before it is applied. */
export type StreamCharge = (context: HandlerContext) => (items: number) => Promise<void>;

/**
 * Applies the `rules.v1.cost` option of a method with a stream of requests. Calls by operators count as one request: the
 * limits protect the service from its callers.
 */
export function streamCharge(method: DescMethod, charge: ChargeItems): StreamCharge {
  const cost = present(batchCostOf(method), "the cost of a method with a stream of requests");
  const { itemsPerRequest } = cost;
  return (context) => {
    // Items that are paid for. Admission has counted one request.
    let paid = callerOf(context).scopes.has("admin") ? Number.POSITIVE_INFINITY : itemsPerRequest;
    return async (items) => {
      if (items > paid) {
        await charge(cost, items - paid + itemsPerRequest, context);
        paid += requestsOf(cost, items - paid) * itemsPerRequest;
      }
      paid -= items;
    };
  };
}

function isCosts<T extends { readonly kind: string }>(outcome: T | Costs): outcome is Costs {
  return outcome.kind === "costs";
}

function limitError(quota: Quota, requests: number, cost: BatchCost) {
  const { windows, retryInMs } = quota;
  const limit = lowestLimit(quota);
  const subject = subjectOf(cost);
  return requests > limit[0]
    ? batchOverLimit(requests, limit, limit[0] * cost.itemsPerRequest, subject)
    : batchLimited(requests, retryInMs, fullWindows(windows, requests), subject);
}
