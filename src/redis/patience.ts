/** How long an answer of a server that answers may take, in milliseconds. */
const usualMs = 300;
/**
 * An answer within this time says that the server is not slow, in milliseconds, and any may take as long:
 * otherwise a server that always does would never be found to be well again.
 */
const quickMs = 150;
/** What a request waits at most for a server that has become slow, waits of {@link quickMs} aside. */
const mostSlowMs = 350;

/** How long a server is waited for. */
export interface Patience {
  /** How long the answer to what is sent now may take, in milliseconds. */
  deadlineMs(): number;
  /** To be called when an answer has come, or none in time. @param sentAt when it was asked for */
  waited(sentAt: number): void;
}

/**
 * Bounds what the waits of one request add up to, without knowing of requests: when a server begins to be
 * slow, what is waited for it from then on is one budget for all, until an answer comes quickly again. So
 * a client that has to be told that the server is slow is told within half a second, where its request
 * needs two answers, as nearly all do.
 *
 * @param now a monotonic clock in milliseconds
 */
export function createPatience(now: () => number): Patience {
  let slowSince: number | undefined;
  return {
    deadlineMs() {
      if (slowSince === undefined) return usualMs;
      return Math.max(quickMs, Math.min(usualMs, slowSince + mostSlowMs - now()));
    },
    waited(sentAt) {
      if (now() - sentAt <= quickMs) slowSince = undefined;
      else slowSince = Math.min(slowSince ?? sentAt, sentAt);
    },
  };
}

/** Always waits equally long. @param ms how long, in milliseconds */
export function constantPatience(ms: number): Patience {
  return { deadlineMs: () => ms, waited: () => {} };
}
