import type { Limits } from "../../../access/plans.ts";
import type { Quota, WindowQuota } from "../../admission-store.ts";

/** A refusal, and until when it cannot change. */
interface Refusal {
  readonly quota: Quota;
  readonly limits: Limits;
  readonly repliedAt: number;
  readonly until: number;
}

/** When a request was sent to the store, and when its reply arrived. */
interface Times {
  readonly sentAt: number;
  readonly repliedAt: number;
}

/**
 * Caches refusals of the store, by counter. A full window admits nothing until its oldest bucket stops counting. Until
 * then every number of the decision can be computed without the store.
 *
 * All times are in milliseconds on the same clock. After it was set back, `find` returns nothing until the clock has
 * caught up.
 *
 * @param most the most refusals in the cache; adding one more removes the oldest
 */
export function createKnownRefusals(most: number) {
  const refusals = new Map<string, Refusal>();
  let latest = Number.NEGATIVE_INFINITY;
  return {
    /** @returns the decision that the store would make now; undefined when only the store can decide */
    find(counter: string, limits: Limits, now: number): Quota | undefined {
      if (now < latest) return undefined;
      latest = now;
      const known = refusals.get(counter);
      if (!known) return undefined;
      if (now >= known.until) {
        refusals.delete(counter);
        return undefined;
      }
      const hasOtherLimits =
        known.limits.perMinute !== limits.perMinute || known.limits.perDay !== limits.perDay;
      return hasOtherLimits ? undefined : later(known.quota, now - known.repliedAt);
    },
    add(counter: string, limits: Limits, quota: Quota, { sentAt, repliedAt }: Times): void {
      if (repliedAt < latest) return;
      latest = repliedAt;
      // The store decided after the request was sent, so the refusal holds for longer than this.
      const until = sentAt + unchangedMs(quota);
      refusals.delete(counter);
      const [oldest] = refusals.size >= most ? refusals.keys() : [];
      if (oldest !== undefined) refusals.delete(oldest);
      refusals.set(counter, { quota, limits, repliedAt, until });
    },
  };
}

/** Returns how long a refusal stays the same if no request is counted, in milliseconds. */
function unchangedMs({ windows: { minute, day }, retryInMs }: Quota): number {
  return Math.min(
    retryInMs,
    minute.moreInMs || Number.POSITIVE_INFINITY,
    day.moreInMs || Number.POSITIVE_INFINITY,
  );
}

function later(quota: Quota, passedMs: number): Quota {
  const { minute, day } = quota.windows;
  return {
    ...quota,
    windows: { minute: windowLater(minute, passedMs), day: windowLater(day, passedMs) },
    retryInMs: quota.retryInMs - passedMs,
    decidedAt: quota.decidedAt + passedMs,
  };
}

function windowLater(window: WindowQuota, passedMs: number): WindowQuota {
  const { remaining, limit, resetAt, moreInMs, waitMs } = window;
  return remaining === limit
    ? { ...window, resetAt: resetAt + passedMs }
    : {
        ...window,
        moreInMs: moreInMs - passedMs,
        waitMs: waitMs === 0 ? 0 : waitMs - passedMs,
      };
}
