import { leavesAt, type WindowSpec } from "../../access/windows.ts";
import type { WindowQuota } from "../admission-store.ts";

/** Requests counted in one bucket. */
interface Bucket {
  /** The number of the bucket, counted from the epoch. */
  readonly index: number;
  readonly count: number;
}

/** The non-empty buckets of a window, oldest first. Immutable. */
export type WindowState = readonly Bucket[];

/** A window without requests. */
export const emptyWindow: WindowState = [];

/** Returns the buckets of a window that still count. */
export function liveBuckets(spec: WindowSpec, state: WindowState, now: number): WindowState {
  const oldest = Math.floor(now / spec.bucketMs) - spec.buckets;
  return state.filter(({ index }) => index >= oldest);
}

/** Returns the number of requests in a window's live buckets. */
export function total(live: WindowState): number {
  return live.reduce((sum, { count }) => sum + count, 0);
}

/** Adds requests to a window. */
export function addRequests(
  spec: WindowSpec,
  live: WindowState,
  now: number,
  requests: number,
): WindowState {
  const index = Math.floor(now / spec.bucketMs);
  const last = live.at(-1);
  return last?.index === index
    ? [...live.slice(0, -1), { index, count: last.count + requests }]
    : [...live, { index, count: requests }];
}

/** Removes a request that was counted at `countedAt`. Returns the same window if its bucket is empty. */
export function withoutOne(spec: WindowSpec, live: WindowState, countedAt: number): WindowState {
  const at = live.findIndex(({ index }) => index === Math.floor(countedAt / spec.bucketMs));
  const bucket = live[at];
  if (!bucket) return live;
  const rest = bucket.count > 1 ? [{ ...bucket, count: bucket.count - 1 }] : [];
  return live.toSpliced(at, 1, ...rest);
}

/**
 * Returns the milliseconds until a window admits a number of requests; 0 when it admits them now. For more requests
 * than its limit, these are the milliseconds until the window is empty.
 */
function waitMs(
  spec: WindowSpec,
  live: WindowState,
  limit: number,
  now: number,
  requests: number,
): number {
  const most = Math.max(0, limit - requests);
  let left = total(live);
  for (const bucket of live) {
    if (left <= most) {
      break;
    }
    left -= bucket.count;
    if (left <= most) {
      return leavesAt(spec, bucket.index) - now;
    }
  }
  return 0;
}

/**
 * Returns what is left in a window.
 *
 * @param requests the number of requests that the wait is for
 */
export function windowQuota(
  spec: WindowSpec,
  live: WindowState,
  limit: number,
  now: number,
  requests: number,
): WindowQuota {
  const oldest = live.at(0);
  const newest = live.at(-1);
  return {
    limit,
    remaining: Math.max(0, limit - total(live)),
    resetAt: newest ? leavesAt(spec, newest.index) : now,
    moreInMs: oldest ? leavesAt(spec, oldest.index) - now : 0,
    waitMs: waitMs(spec, live, limit, now, requests),
  };
}
