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

/** A window with one more request. */
export function addOne(spec: WindowSpec, live: WindowState, now: number): WindowState {
  const index = Math.floor(now / spec.bucketMs);
  const last = live.at(-1);
  return last?.index === index
    ? [...live.slice(0, -1), { index, count: last.count + 1 }]
    : [...live, { index, count: 1 }];
}

/** Milliseconds until a full window admits a request; 0 when it is not full. */
function waitMs(spec: WindowSpec, live: WindowState, limit: number, now: number): number {
  let left = total(live);
  for (const bucket of live) {
    if (left < limit) {
      break;
    }
    left -= bucket.count;
    if (left < limit) {
      return leavesAt(spec, bucket.index) - now;
    }
  }
  return 0;
}

/** How a caller stands in a window. */
export function standing(
  spec: WindowSpec,
  live: WindowState,
  limit: number,
  now: number,
): Standing {
  const oldest = live.at(0);
  const newest = live.at(-1);
  return {
    limit,
    remaining: Math.max(0, limit - total(live)),
    wholeAt: newest ? leavesAt(spec, newest.index) : now,
    moreInMs: oldest ? leavesAt(spec, oldest.index) - now : 0,
    waitMs: waitMs(spec, live, limit, now),
  };
}
