import type { Standing } from "../access/admission-store.ts";
import { leavesAt, type WindowSpec } from "../access/windows.ts";

/** Requests counted in one bucket. */
interface Bucket {
  /** Number of the bucket since the epoch. */
  readonly index: number;
  readonly count: number;
}

/** The buckets of a window that hold any request, oldest first. Never changed, only replaced. */
export type WindowState = readonly Bucket[];

/** A window that counted nothing. */
export const emptyWindow: WindowState = [];

/** The part of a window that still counts at a time. */
export function liveBuckets(spec: WindowSpec, state: WindowState, now: number): WindowState {
  const oldest = Math.floor(now / spec.bucketMs) - spec.buckets;
  return state.filter(({ index }) => index >= oldest);
}

/** Requests in a window's live buckets. */
export function total(live: WindowState): number {
  return live.reduce((sum, { count }) => sum + count, 0);
}

/** A window with so many more requests. */
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

/** A window without one of the requests that were counted at a time; the same if it holds none. */
export function withoutOne(spec: WindowSpec, live: WindowState, countedAt: number): WindowState {
  const at = live.findIndex(({ index }) => index === Math.floor(countedAt / spec.bucketMs));
  const bucket = live[at];
  if (!bucket) return live;
  const rest = bucket.count > 1 ? [{ ...bucket, count: bucket.count - 1 }] : [];
  return live.toSpliced(at, 1, ...rest);
}

/**
 * Milliseconds until a window admits so many requests; 0 when it does. With more than its limit it never
 * does: until it is empty.
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
 * How a caller stands in a window.
 *
 * @param requests how many the wait is for
 */
export function standing(
  spec: WindowSpec,
  live: WindowState,
  limit: number,
  now: number,
  requests: number,
): Standing {
  const oldest = live.at(0);
  const newest = live.at(-1);
  return {
    limit,
    remaining: Math.max(0, limit - total(live)),
    wholeAt: newest ? leavesAt(spec, newest.index) : now,
    moreInMs: oldest ? leavesAt(spec, oldest.index) - now : 0,
    waitMs: waitMs(spec, live, limit, now, requests),
  };
}
