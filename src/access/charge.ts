import { type DescMethod, getOption, hasOption, type Message } from "@bufbuild/protobuf";
import { cost as costOption } from "../../gen/rules/v1/rules_pb.ts";
import type { Call } from "../call/method.ts";
import type { Charge } from "../call/service.ts";
import { accountDisabled, batchLimited, batchOverLimit, keyInvalid } from "../errors.ts";
import { banError } from "./admission.ts";
import type { AdmissionStore, Quota } from "./admission-store.ts";
import type { BanWatch } from "./ban-watch.ts";
import type { Caller, CountedRequest } from "./caller.ts";
import { fullWindows } from "./full-windows.ts";
import { limitHeaderNames, limitHeaders } from "./limit-headers.ts";
import type { UsageCounter } from "./usage-counter.ts";

/**
 * Applies the `rules.v1.cost` option of a method. Admission has counted a call as one request; this counts the rest
 * of its cost and updates the limit headers. A call that exceeds a limit is refused and does not count at all.
 *
 * @param bans learns of bans
 * @param usage counts the requests of accounts
 * @returns undefined when the method has no such option
 * @throws Error at start-up when the option does not name a repeated field of a unary request
 */
export function chargeOf(
  method: DescMethod,
  store: Pick<AdmissionStore, "charge">,
  bans?: BanWatch,
  usage?: UsageCounter,
): Charge<Caller> | undefined {
  if (!hasOption(method, costOption)) return undefined;
  const { items, itemsPerRequest } = getOption(method, costOption);
  const field = method.input.fields.find(({ name }) => name === items);
  if (method.methodKind !== "unary" || field?.fieldKind !== "list" || itemsPerRequest < 1) {
    throw new Error(`${method}: rules.v1.cost does not name a repeated field of a unary request`);
  }
  const { localName } = field;

  return (request, call) => {
    const { counted } = call.caller;
    const list = (request as Message & Readonly<Record<string, unknown>>)[localName];
    const requests = Math.ceil((list as readonly unknown[]).length / itemsPerRequest);
    if (requests <= 1 || !counted) return undefined;
    return store.charge(counted, requests, call).then((quota) => {
      if (quota.verdict === "unknown") throw keyInvalid();
      setLimitHeaders(call, quota);
      if (usage) countCharge(usage, counted, call.caller, quota, requests);
      if (quota.ban) {
        const { accountId, keyId } = call.caller;
        bans?.banned({ accountId, keyId, ...quota.ban }, quota.retryInMs);
      }
      if (quota.verdict === "disabled") throw accountDisabled();
      if (quota.verdict === "banned") throw banError(quota);
      if (quota.verdict === "limited") throw limitError(quota, requests, itemsPerRequest);
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

function limitError({ windows, retryInMs }: Quota, requests: number, itemsPerRequest: number) {
  const { minute, day } = windows;
  const [limit, window] =
    minute.limit <= day.limit ? [minute.limit, "minute" as const] : [day.limit, "day" as const];
  return requests > limit
    ? batchOverLimit(requests, limit, window, limit * itemsPerRequest)
    : batchLimited(requests, retryInMs, fullWindows(windows, requests));
}
