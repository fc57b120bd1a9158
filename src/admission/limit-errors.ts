import type { ConnectError } from "@connectrpc/connect";
import { memoize } from "connect-gateway/call";
import { QuotaFailureSchema } from "../../gen/google/rpc/error_details_pb.ts";
import type { RpcReason } from "../contract/catalogue.ts";
import { retryAfter, serviceError, shared } from "../contract/errors.ts";
import type { Quota, WindowQuotas } from "../stores/admission-store.ts";
import type { CostSubject, UnreadBatch } from "./batch-cost.ts";

/** Size of the cache of errors by wait. There are few different waits at a time. */
const maxWaits = 1_000;

/** The limits of the windows that are full, in requests. */
type FullWindows = Readonly<Partial<Record<"minute" | "day", number>>>;

type Limit = readonly [requests: number, window: "minute" | "day"];

/** Returns the windows that refuse a request, with their limits. @param requests how many requests it counts as, from 1 */
export function fullWindows({ minute, day }: WindowQuotas, requests = 1): FullWindows {
  return {
    ...(minute.remaining < requests && { minute: minute.limit }),
    ...(day.remaining < requests && { day: day.limit }),
  };
}

/** Returns the lower limit of both windows. A call that counts as more requests never fits. */
export function lowestLimit({ windows: { minute, day } }: Quota): Limit {
  return minute.limit <= day.limit ? [minute.limit, "minute"] : [day.limit, "day"];
}

/**
 * Returns a function that makes the error for a wait in milliseconds. Callers that must wait the same number of seconds
 * for the same windows get the same error object.
 *
 * @param subject whose quota is exhausted, as google.rpc.QuotaFailure names it
 */
function retryLater(
  reason: RpcReason,
  message: string,
  subject: string,
): (waitMs: number, full?: FullWindows) => ConnectError {
  const made = memoize((key: string) => {
    const [seconds = 0, minute = 0, day = 0] = key.split(" ").map(Number);
    const full = { ...(minute >= 0 && { minute }), ...(day >= 0 && { day }) };
    const extras = extrasOf(subject, full, seconds);
    return shared(serviceError(reason, `${message} Retry in ${seconds} s.`, extras));
  }, maxWaits);
  return (waitMs, { minute = -1, day = -1 } = {}) =>
    made(`${retrySeconds(waitMs)} ${minute} ${day}`);
}

/** Returns headers and details of an error about a limit. @param seconds until a retry; undefined if waiting does not help */
function extrasOf(subject: string, full: FullWindows, seconds?: number) {
  const { headers, details } =
    seconds === undefined ? { headers: {}, details: [] } : retryAfter(seconds);
  const violations = Object.entries(full).map(([window, limit]) => ({
    subject,
    description: `The limit of the ${subject} is ${limit} requests a ${window}.`,
    quotaMetric: "requests",
    quotaId: window,
    quotaValue: BigInt(limit),
  }));
  const quotas = violations.length > 0 ? [{ desc: QuotaFailureSchema, value: { violations } }] : [];
  return { headers, details: [...details, ...quotas] };
}

/** Returns the wait in seconds, rounded up, at least 1. A client that retries earlier would be refused again. */
function retrySeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** @param waitMs milliseconds until a request would be admitted */
export const rateLimited = retryLater(
  "RATE_LIMITED",
  "The account's request limit is reached.",
  "account",
);

/**
 * A batch counts as more requests than the account has left.
 *
 * @param waitMs milliseconds until all of them would be admitted
 * @param full the windows that have fewer requests left
 * @param subject `hold` when the call counts the items of a hold, so that fewer cannot be sent
 */
export function batchLimited(
  requests: number,
  waitMs: number,
  full: FullWindows,
  subject: CostSubject,
): ConnectError {
  const seconds = retrySeconds(waitMs);
  const advice = subject === "hold" ? "" : ", or send fewer items";
  const text = `The ${subject} counts as ${requests} requests, but the account has fewer left. Retry in ${seconds} s${advice}.`;
  return serviceError("RATE_LIMITED", text, extrasOf("account", full, seconds));
}

/**
 * The account has no request left, so the body of a batch was not read. It can have too many items. If it surely has,
 * waiting does not help, so the error has no `Retry-After`.
 *
 * @param limit the account's limit in requests
 * @param waitMs milliseconds until the largest batch within the limit would be admitted
 * @param full the windows that have too few requests left
 */
export function batchUnknown(
  { fewest, itemsPerRequest, subject }: UnreadBatch,
  limit: number,
  waitMs: number,
  full: FullWindows,
): ConnectError {
  const seconds = retrySeconds(waitMs);
  const advice = subject === "hold" ? "" : ": split it";
  const text = `The account's request limit is reached. In ${seconds} s a ${subject} of up to ${limit * itemsPerRequest} items fits. A larger one never does${advice}.`;
  return serviceError(
    "RATE_LIMITED",
    text,
    extrasOf("account", full, fewest <= limit ? seconds : undefined),
  );
}

/**
 * A batch counts as more requests than a whole limit. Waiting does not help, so the error has no `Retry-After`.
 *
 * @param limit the account's limit in requests, and its window
 * @param mostItems the number of items of the largest batch within the limit
 */
export function batchOverLimit(
  requests: number,
  [limit, window]: Limit,
  mostItems: number,
  subject: CostSubject,
): ConnectError {
  const advice =
    subject === "hold"
      ? `Holds of up to ${mostItems} items fit.`
      : `Send at most ${mostItems} items at once.`;
  return serviceError(
    "BATCH_OVER_LIMIT",
    `The ${subject} counts as ${requests} requests, more than the account's limit of ${limit} a ${window}. ${advice}`,
    {
      metadata: { mostItems: String(mostItems) },
      ...extrasOf("account", { [window]: limit }),
    },
  );
}

/** @param waitMs milliseconds until the ban ends */
export const keyBanned = retryLater(
  "KEY_BANNED",
  "The API key is banned for some time because it repeated refused requests without waiting.",
  "account",
);

/** @param waitMs milliseconds until a request without a valid key gets 401 again */
export const addressLimited = retryLater(
  "ADDRESS_LIMITED",
  "Too many requests without a valid API key came from this address.",
  "client address",
);
