import type { Limits } from "../../access/plans.ts";
import { dayWindow, minuteWindow } from "../../access/windows.ts";
import type { Quota, WindowQuotas } from "../admission-store.ts";
import {
  addRequests,
  emptyWindow,
  stateOf,
  total,
  type WindowState,
  windowAt,
  windowQuota,
  withoutOne,
} from "./sliding-window.ts";

/** The two windows of one account or address. */
export interface QuotaCounter {
  minute: WindowState;
  day: WindowState;
}

export function newQuotaCounter(): QuotaCounter {
  return { minute: emptyWindow, day: emptyWindow };
}

/** Counts a request if both windows admit it. The waits of a refusal are for `most` requests, or the lower limit. */
export function countRequest(
  counter: QuotaCounter,
  limits: Limits,
  clock: number,
  most = 1,
): Quota {
  const requests = Math.min(most, limits.perMinute, limits.perDay);
  return countRequests(counter, limits, clock, 1) ?? limited(counter, limits, clock, requests);
}

/** Counts the others of a request that counts as several, or takes back the first, which was counted at `countedAt`. */
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
  const windows = windowsOf(counter, clock);
  const { now } = windows.day;
  const minute = withoutOne(windows.minute, countedAt);
  // A day that is ahead of the minute has counted it at its own time.
  const day = withoutOne(windows.day, now === windows.minute.now ? countedAt : now);
  if (!minute && !day) return;
  counter.minute = minute ?? stateOf(windows.minute);
  counter.day = day ?? stateOf(windows.day);
}

/** @returns undefined when a window does not admit so many requests: then nothing was counted */
function countRequests(
  counter: QuotaCounter,
  limits: Limits,
  clock: number,
  requests: number,
): Quota | undefined {
  const { minute, day } = windowsOf(counter, clock);
  if (total(minute) + requests > limits.perMinute || total(day) + requests > limits.perDay) {
    return undefined;
  }
  counter.minute = addRequests(minute, requests);
  counter.day = addRequests(day, requests);
  const after = windowQuotas(counter, limits, clock, 1);
  const countedAt = minute.now;
  return { verdict: "admitted", windows: after, retryInMs: 0, countedAt, decidedAt: clock };
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
  return { verdict: "limited", windows, retryInMs, countedAt: 0, decidedAt: clock };
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
  return {
    minute: windowAt(minuteWindow, counter.minute, clock),
    day: windowAt(dayWindow, counter.day, clock),
  };
}
