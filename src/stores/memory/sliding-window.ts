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

/** A window at a time, with the buckets that still count. */
interface WindowNow {
  readonly spec: WindowSpec;
  readonly live: WindowState;
  readonly now: number;
}

/** Returns a window at a time. */
export function windowAt(spec: WindowSpec, state: WindowState, now: number): WindowNow {
  const oldest = Math.floor(now / spec.bucketMs) - spec.buckets;
  return { spec, live: state.filter(({ index }) => index >= oldest), now };
}

/** Returns the number of requests in a window. */
export function total({ live }: Pick<WindowNow, "live">): number {
  return live.reduce((sum, { count }) => sum + count, 0);
}

/** Adds requests to a window. */
export function addRequests({ spec, live, now }: WindowNow, requests: number): WindowState {
  const index = Math.floor(now / spec.bucketMs);
  const last = live.at(-1);
  return last?.index === index
    ? [...live.slice(0, -1), { index, count: last.count + requests }]
    : [...live, { index, count: requests }];
}

/** Removes a request that was counted at `countedAt`. Returns the same buckets if its bucket is empty. */
export function withoutOne({ spec, live }: WindowNow, countedAt: number): WindowState {
  const at = live.findIndex(({ index }) => index === Math.floor(countedAt / spec.bucketMs));
  const bucket = live[at];
  if (!bucket) return live;
  const { count } = bucket;
  return count > 1 ? live.with(at, { ...bucket, count: count - 1 }) : live.toSpliced(at, 1);
}

/**
 * Returns the milliseconds until a window admits a number of requests; 0 when it admits them now. For more requests
 * than its limit, these are the milliseconds until the window is empty.
 */
function waitMs(window: WindowNow, limit: number, requests: number): number {
  const most = Math.max(0, limit - requests);
  let left = total(window);
  if (left <= most) return 0;
  for (const { index, count } of window.live) {
    left -= count;
    if (left <= most) return leavesAt(window.spec, index) - window.now;
  }
  return 0;
}

/** Returns what is left in a window. @param requests the number of requests that the wait is for */
export function windowQuota(window: WindowNow, limit: number, requests: number): WindowQuota {
  const { spec, live, now } = window;
  const oldest = live.at(0);
  const newest = live.at(-1);
  return {
    limit,
    remaining: Math.max(0, limit - total(window)),
    resetAt: newest ? leavesAt(spec, newest.index) : now,
    moreInMs: oldest ? leavesAt(spec, oldest.index) - now : 0,
    waitMs: waitMs(window, limit, requests),
  };
}
