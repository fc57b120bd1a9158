import type { Limits } from "../../access/plans.ts";
import { dayWindow, minuteWindow } from "../../access/windows.ts";
import type { Quota, WindowQuotas } from "../admission-store.ts";
import {
  addRequests,
  emptyWindow,
  total,
  type WindowState,
  windowAt,
  windowQuota,
  withoutOne,
} from "./sliding-window.ts";

/** The two windows of one account or address. */
export interface QuotaCounter {
  /** The time of the last admitted request. Time never runs backwards from it. */
  time: number;
  minute: WindowState;
  day: WindowState;
}

/** Makes empty windows. */
export function newQuotaCounter(): QuotaCounter {
  return { time: 0, minute: emptyWindow, day: emptyWindow };
}

/**
 * Decides on a request, and counts it if both windows admit it. A refused request changes nothing.
 *
 * @param most how many requests the waits of a refusal are for, unless a limit is lower
 */
export function countRequest(
  counter: QuotaCounter,
  limits: Limits,
  clock: number,
  most = 1,
): Quota {
  const requests = Math.min(most, limits.perMinute, limits.perDay);
  return countRequests(counter, limits, clock, 1) ?? limited(counter, limits, clock, requests);
}

/**
 * Decides on a request that counts as several, of which one was counted at `countedAt`. It counts the others if both
 * windows admit them, and takes back the first one otherwise.
 */
export function chargeRequest(
  counter: QuotaCounter,
  limits: Limits,
  clock: number,
  { countedAt, requests }: { readonly countedAt: number; readonly requests: number },
): Quota {
  const admitted = countRequests(counter, limits, clock, requests - 1);
  if (admitted) return admitted;
  giveBack(counter, clock, countedAt);
  return limited(counter, limits, clock, requests);
}

/** Takes a request out of the buckets in which it was counted, if they still count. */
export function giveBack(counter: QuotaCounter, clock: number, countedAt: number): void {
  const { now, ...windows } = windowsOf(counter, clock);
  const minute = withoutOne(windows.minute, countedAt);
  const day = withoutOne(windows.day, countedAt);
  if (minute !== windows.minute.live || day !== windows.day.live) {
    Object.assign(counter, { time: now, minute, day });
  }
}

/** @returns undefined when a window does not admit so many requests: then nothing was counted */
function countRequests(
  counter: QuotaCounter,
  limits: Limits,
  clock: number,
  requests: number,
): Quota | undefined {
  const { now, minute, day } = windowsOf(counter, clock);
  if (total(minute) + requests > limits.perMinute || total(day) + requests > limits.perDay) {
    return undefined;
  }
  counter.time = now;
  counter.minute = addRequests(minute, requests);
  counter.day = addRequests(day, requests);
  const after = windowQuotas(counter, limits, now, 1);
  return { verdict: "admitted", windows: after, retryInMs: 0, countedAt: now, decidedAt: now };
}

/** Returns the refusal of requests. @param requests the number of requests that the waits are for */
export function limited(
  counter: QuotaCounter,
  limits: Limits,
  clock: number,
  requests: number,
): Quota {
  const windows = windowQuotas(counter, limits, clock, requests);
  const retryInMs = Math.max(windows.minute.waitMs, windows.day.waitMs);
  const decidedAt = Math.max(counter.time, clock);
  return { verdict: "limited", windows, retryInMs, countedAt: 0, decidedAt };
}

/** Returns what is left in both windows. Counts nothing. @param requests the number of requests that the waits are for */
export function windowQuotas(
  counter: QuotaCounter,
  limits: Limits,
  clock: number,
  requests: number,
): WindowQuotas {
  const { minute, day } = windowsOf(counter, clock);
  return {
    minute: windowQuota(minute, limits.perMinute, requests),
    day: windowQuota(day, limits.perDay, requests),
  };
}

function windowsOf(counter: QuotaCounter, clock: number) {
  const now = Math.max(counter.time, clock);
  return {
    now,
    minute: windowAt(minuteWindow, counter.minute, now),
    day: windowAt(dayWindow, counter.day, now),
  };
}
