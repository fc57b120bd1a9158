import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { type Caller, type CountedRequest, callerOf } from "../access/caller.ts";
import type { ChangePaid, Costs } from "../access/change-paid.ts";
import { accountDisabled, keyInvalid } from "../access/errors.ts";
import type { UsageCounter } from "../access/usage-counter.ts";
import { storeContext } from "../common/call-context.ts";
import { present } from "../common/present.ts";
import type { AdmissionStore, Quota } from "../stores/admission-store.ts";
import { banError } from "./admission.ts";
import type { BanWatch } from "./ban-watch.ts";
import { type BatchCost, batchCostOf, requestsOf } from "./batch-cost.ts";
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

/** Makes the function that counts the other requests of calls. */
export function createCharge(
  stores: { readonly admission: Pick<AdmissionStore, "charge"> },
  bans?: BanWatch,
  usage?: UsageCounter,
): ChargeItems {
  return (cost, items, context) => {
    const { counted } = callerOf(context);
    const requests = requestsOf(cost, items);
    if (requests <= 1 || !counted) return undefined;
    return stores.admission.charge(counted, requests, storeContext(context)).then((quota) => {
      if (quota.verdict === "unknown") throw keyInvalid();
      setLimitHeaders(context, limitHeaders(quota));
      if (usage) countCharge(usage, counted, callerOf(context), quota, requests);
      if (quota.ban) {
        const { accountId, keyId } = callerOf(context);
        bans?.banned({ accountId, keyId, ...quota.ban }, quota.retryInMs);
      }
      if (quota.verdict === "disabled") throw accountDisabled();
      if (quota.verdict === "banned") throw banError(quota);
      if (quota.verdict === "limited") throw limitError(quota, requests, cost);
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

function isCosts<T extends { readonly kind: string }>(outcome: T | Costs): outcome is Costs {
  return outcome.kind === "costs";
}

/** Counts the rest of an admitted call. All of a refused call is counted as refused. Calls of disabled accounts are not counted. */
function countCharge(
  usage: UsageCounter,
  { countedAt }: CountedRequest,
  caller: Caller,
  { verdict, decidedAt }: Quota,
  requests: number,
): void {
  if (verdict === "admitted") {
    usage.count(caller, verdict, decidedAt, requests - 1);
  } else {
    usage.count(caller, "admitted", countedAt, -1);
    if (verdict !== "disabled") usage.count(caller, verdict, decidedAt, requests);
  }
}

function limitError(
  quota: Quota,
  requests: number,
  { itemsPerRequest, maxStoredItems }: BatchCost,
) {
  const { windows, retryInMs } = quota;
  const [limit, window] = lowestLimit(quota);
  const isStored = maxStoredItems > 0;
  return requests > limit
    ? batchOverLimit(requests, limit, window, limit * itemsPerRequest, isStored)
    : batchLimited(requests, retryInMs, fullWindows(windows, requests), isStored);
}
