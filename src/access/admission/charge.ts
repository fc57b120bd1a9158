import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Call } from "../../call/method.ts";
import type { Charge } from "../../call/service.ts";
import type { AdmissionStore, Quota } from "../../stores/admission-store.ts";
import type { Caller, CountedRequest } from "../caller.ts";
import { accountDisabled, keyInvalid } from "../errors.ts";
import type { UsageCounter } from "../usage-counter.ts";
import { banError, limitHeaderNames, limitHeaders } from "./admission.ts";
import type { BanWatch } from "./ban-watch.ts";
import { type BatchCost, batchCostOf, requestsOf } from "./batch-cost.ts";
import { fullWindows, lowestLimit } from "./full-windows.ts";
import { batchLimited, batchOverLimit } from "./limit-errors.ts";

/**
 * Applies the `rules.v1.cost` option of a method. Admission has counted a call as one request; this counts the rest
 * of its cost and updates the limit headers. A call that exceeds a limit is refused and does not count at all.
 *
 * @returns undefined when the method has no such option
 * @throws Error at start-up when the option is not valid
 */
export function chargeOf(
  method: DescMethod,
  stores: { readonly admission: Pick<AdmissionStore, "charge"> },
  bans?: BanWatch,
  usage?: UsageCounter,
): Charge<Caller> | undefined {
  const cost = batchCostOf(method);
  if (!cost) return undefined;

  return (request, call) => {
    const { counted } = call.caller;
    const list = (request as Message & Readonly<Record<string, unknown>>)[cost.field];
    const requests = requestsOf(cost, (list as readonly unknown[]).length);
    if (requests <= 1 || !counted) return undefined;
    return stores.admission.charge(counted, requests, call).then((quota) => {
      if (quota.verdict === "unknown") throw keyInvalid();
      setLimitHeaders(call, quota);
      if (usage) countCharge(usage, counted, call.caller, quota, requests);
      if (quota.ban) {
        const { accountId, keyId } = call.caller;
        bans?.banned({ accountId, keyId, ...quota.ban }, quota.retryInMs);
      }
      if (quota.verdict === "disabled") throw accountDisabled();
      if (quota.verdict === "banned") throw banError(quota);
      if (quota.verdict === "limited") throw limitError(quota, requests, cost);
    });
  };
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

function setLimitHeaders(call: Call<Caller>, quota: Quota): void {
  const headers = limitHeaders(quota);
  for (const name of limitHeaderNames) call.setHeader(name, headers[name]);
}

function limitError(quota: Quota, requests: number, { itemsPerRequest }: BatchCost) {
  const { windows, retryInMs } = quota;
  const [limit, window] = lowestLimit(quota);
  return requests > limit
    ? batchOverLimit(requests, limit, window, limit * itemsPerRequest)
    : batchLimited(requests, retryInMs, fullWindows(windows, requests));
}
