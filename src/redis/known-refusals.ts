import type { Quota, Standing } from "../access/admission-store.ts";
import type { Limits } from "../access/plans.ts";

/** A refusal, and for how long nothing about it can change. */
interface Refusal {
  readonly quota: Quota;
  readonly limits: Limits;
  /** When its reply had come. */
  readonly answeredAt: number;
  /** Until when it stands. */
  readonly until: number;
}

/** Refusals that this process knows of, by the counter that refused. */
export interface KnownRefusals {
  /** @returns the decision that the store would make now; undefined when it has to be asked */
  find(counter: string, limits: Limits, now: number): Quota | undefined;
  /**
   * @param askedAt when the store was asked
   * @param answeredAt when it had replied
   */
  add(
    counter: string,
    limits: Limits,
    quota: Quota,
    times: { readonly askedAt: number; readonly answeredAt: number },
  ): void;
}

/**
 * Refuses again what the store has just refused, without asking it. A full window admits nothing, so it can
 * only change when the oldest of its buckets leaves: until then every number of the decision is known.
 *
 * Times are in milliseconds on any one clock. While the clock is behind where it was, nothing is known.
 *
 * @param most refusals that are known at a time; with one more, the oldest is forgotten
 */
export function createKnownRefusals(most: number): KnownRefusals {
  const refusals = new Map<string, Refusal>();
  let latest = Number.NEGATIVE_INFINITY;
  return {
    find(counter, limits, now) {
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
      return hasOtherLimits ? undefined : later(known.quota, now - known.answeredAt);
    },

    add(counter, limits, quota, { askedAt, answeredAt }) {
      if (answeredAt < latest) return;
      latest = answeredAt;
      // The store decided after it was asked, so by its clock the refusal stands for longer than this.
      const until = askedAt + unchangedMs(quota);
      refusals.delete(counter);
      const [oldest] = refusals.size >= most ? refusals.keys() : [];
      if (oldest !== undefined) refusals.delete(oldest);
      refusals.set(counter, { quota, limits, answeredAt, until });
    },
  };
}

/** How long a refusal stays as it is if no request is counted. */
function unchangedMs({ standings: { minute, day }, retryInMs }: Quota): number {
  return Math.min(
    retryInMs,
    minute.moreInMs || Number.POSITIVE_INFINITY,
    day.moreInMs || Number.POSITIVE_INFINITY,
  );
}

function later({ verdict, standings, retryInMs, countedAt }: Quota, passedMs: number): Quota {
  const { minute, day } = standings;
  return {
    verdict,
    standings: { minute: standingLater(minute, passedMs), day: standingLater(day, passedMs) },
    retryInMs: retryInMs - passedMs,
    countedAt,
  };
}

function standingLater(standing: Standing, passedMs: number): Standing {
  const { remaining, limit, wholeAt, moreInMs, waitMs } = standing;
  return remaining === limit
    ? { ...standing, wholeAt: wholeAt + passedMs }
    : {
        ...standing,
        moreInMs: moreInMs - passedMs,
        waitMs: waitMs === 0 ? 0 : waitMs - passedMs,
      };
}
