import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import {
  afterUncertainAttempt,
  type InventoryError,
  isLostConnection,
  isUncertain,
  toInventoryError,
} from "./errors.js";

/** How long calls may take, and how often they are repeated. */
export interface RetryPolicy {
  /** Time for a call with all its retries, in milliseconds. */
  readonly timeoutMs: number;
  /** Time for one attempt, in milliseconds. */
  readonly attemptTimeoutMs: number;
  /** Number of retries after the first attempt. */
  readonly maxRetries: number;
}

const firstBackoffMs = 250;
const longestBackoffMs = 8_000;

/**
 * A random time up to a bound that doubles with every retry, so that clients do not retry at the same moment ("full
 * jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export function backoffMs(retry: number): number {
  return Math.random() * Math.min(longestBackoffMs, firstBackoffMs * 2 ** retry);
}

/**
 * The time until a retry, in milliseconds. Undefined if the call must not be repeated.
 *
 * @param repeatable whether a second execution changes nothing: the call reads, or has an idempotency key
 */
export function retryDelayMs(
  error: InventoryError,
  repeatable: boolean,
  retry: number,
): number | undefined {
  const { reason, code, retryAfterMs = 0 } = error;
  if (retryAfterMs < 0) return undefined;
  const transient = isLostConnection(error) || isTransient(error);
  const refused =
    reason === "SERVER_OVERLOADED" || (reason !== undefined && code === Code.ResourceExhausted);
  return transient && (repeatable || refused) ? retryAfterMs + backoffMs(retry) : undefined;
}

function isTransient({ reason, code, retryAfterMs }: InventoryError): boolean {
  if (reason === undefined) return false;
  return (
    retryAfterMs !== undefined ||
    code === Code.Unavailable ||
    code === Code.DeadlineExceeded ||
    // An earlier attempt whose response was lost still runs.
    reason === "IDEMPOTENCY_KEY_IN_USE"
  );
}

/**
 * Makes a call, and repeats it as long as that can help and changes nothing twice.
 *
 * @param repeatable whether a second execution changes nothing: the call reads, or has an idempotency key
 * @param reads whether the call reads
 */
export async function withRetries<T>(
  policy: RetryPolicy,
  { repeatable, reads }: { readonly repeatable: boolean; readonly reads: boolean },
  options: CallOptions,
  attempt: (options: CallOptions) => Promise<T>,
): Promise<T> {
  const endsAt = Date.now() + (options.timeoutMs ?? policy.timeoutMs);
  let mayHaveChanged = false;
  for (let retry = 0; ; retry++) {
    const timeoutMs = Math.min(policy.attemptTimeoutMs, Math.max(1, endsAt - Date.now()));
    try {
      return await attempt({ ...options, timeoutMs });
    } catch (thrown) {
      const error = toInventoryError(thrown);
      const delayMs =
        retry < policy.maxRetries ? retryDelayMs(error, repeatable, retry) : undefined;
      const tooLate = delayMs !== undefined && Date.now() + delayMs >= endsAt;
      if (delayMs === undefined || tooLate || options.signal?.aborted) {
        throw mayHaveChanged ? afterUncertainAttempt(error) : error;
      }
      mayHaveChanged ||= !reads && isUncertain(error);
      await sleep(delayMs, options.signal);
    }
  }
}

/** Waits. Rejects as soon as the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(toInventoryError(new ConnectError("The call was cancelled.", Code.Canceled)));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
