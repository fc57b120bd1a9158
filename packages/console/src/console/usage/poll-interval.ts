import { dayMs, minuteMs } from "../../../../../src/common/durations.ts";

/** How long the page updates at the faster rate after it was opened, or after an update by hand. */
const livelyMs = 5 * minuteMs;

const shortestMs = 5_000;
const shortestWhenIdleMs = minuteMs;

/** The part of each limit that updates of one open page may use. */
const share = 0.1;

/**
 * Returns the time until the next update of a page that shows usage, in milliseconds. Each update counts as a request,
 * so an open page must not use up the limits of its own account. For five minutes, the updates use at most a tenth of
 * the limit per minute. After that, they also use at most a tenth of the limit per day.
 *
 * @param openMs how long the page has been open, or how long ago it was updated by hand
 */
export function pollIntervalMs(
  limits: { readonly perMinute: number; readonly perDay: number },
  openMs: number,
): number {
  const minuteShare = minuteMs / (share * Math.max(1, limits.perMinute));
  if (openMs < livelyMs) return Math.max(shortestMs, minuteShare);
  const dayShare = dayMs / (share * Math.max(1, limits.perDay));
  return Math.max(shortestWhenIdleMs, minuteShare, dayShare);
}
