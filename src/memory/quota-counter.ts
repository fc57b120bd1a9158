import type { Quota, Standings } from "../access/admission-store.ts";
import type { Limits } from "../access/plans.ts";
import { dayWindow, minuteWindow } from "../access/windows.ts";
import {
  addOne,
  emptyWindow,
  liveBuckets,
  standing,
  total,
  type WindowState,
} from "./sliding-window.ts";

/** The two windows of one account or address. */
export interface QuotaCounter {
  /** Time of the last admitted request, which time never goes back behind. */
  time: number;
  minute: WindowState;
  day: WindowState;
}

/** Counters that counted nothing. */
export function newQuotaCounter(): QuotaCounter {
  return { time: 0, minute: emptyWindow, day: emptyWindow };
}

/** Decides on a request and counts it if both windows admit it; a refused one changes nothing. */
export function countRequest(counter: QuotaCounter, limits: Limits, clock: number): Quota {
  const now = Math.max(counter.time, clock);
  const minute = liveBuckets(minuteWindow, counter.minute, now);
  const day = liveBuckets(dayWindow, counter.day, now);
  if (total(minute) < limits.perMinute && total(day) < limits.perDay) {
    counter.time = now;
    counter.minute = addOne(minuteWindow, minute, now);
    counter.day = addOne(dayWindow, day, now);
    return { verdict: "admitted", standings: standings(counter, limits, now), retryInMs: 0 };
  }
  const refused = standings(counter, limits, now);
  return {
    verdict: "limited",
    standings: refused,
    retryInMs: Math.max(refused.minute.waitMs, refused.day.waitMs),
  };
}

/** How a caller stands in both windows, nothing counted. */
export function standings(counter: QuotaCounter, limits: Limits, clock: number): Standings {
  const now = Math.max(counter.time, clock);
  const minute = liveBuckets(minuteWindow, counter.minute, now);
  const day = liveBuckets(dayWindow, counter.day, now);
  return {
    minute: standing(minuteWindow, minute, limits.perMinute, now),
    day: standing(dayWindow, day, limits.perDay, now),
  };
}
