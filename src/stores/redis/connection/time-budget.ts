/** The timeout of a command while Redis is not slow, in milliseconds. */
const usualMs = 300;
/** A reply within this time shows that Redis is not slow, in milliseconds. So every command may take this long. */
const quickMs = 150;
/** The time that all waits share when Redis has become slow, in milliseconds. Each may still take {@link quickMs}. */
const mostSlowMs = 350;

/** Bounds the time that commands may take. */
export interface TimeBudget {
  /** Returns how long the reply to a command that is sent now may take, in milliseconds. */
  deadlineMs(): number;
  /** Notes a reply, or that there was none in time. @param repliedAt when the reply arrived; now when absent */
  waited(sentAt: number, repliedAt?: number): void;
}

/**
 * Bounds the sum of all waits of a request, without knowing its commands. When Redis becomes slow, all waits from then on
 * share one budget, until a reply is quick again. Nearly all requests need two replies, and so fail within half a second.
 */
export function createTimeBudget(now: () => number): TimeBudget {
  let slowSince: number | undefined;
  return {
    deadlineMs() {
      if (slowSince === undefined) return usualMs;
      return Math.max(quickMs, Math.min(usualMs, slowSince + mostSlowMs - now()));
    },
    waited(sentAt, repliedAt = now()) {
      if (repliedAt - sentAt <= quickMs) slowSince = undefined;
      else slowSince = Math.min(slowSince ?? sentAt, sentAt);
    },
  };
}

/** Gives every command the same timeout. @param ms in milliseconds */
export function constantTimeBudget(ms: number): TimeBudget {
  return { deadlineMs: () => ms, waited: () => {} };
}
