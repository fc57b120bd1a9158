import { leavesAt, type WindowSpec } from "../../access/windows.ts";
import type { WindowQuota } from "../admission-store.ts";

/** Requests counted in one bucket. */
interface Bucket {
  /** The number of the bucket, counted from the epoch. */
  readonly index: number;
  readonly count: number;
}

/** A window. Immutable. */
export interface WindowState {
  /** The time of the last counted request. The window's time never runs backwards from it. */
  readonly time: number;
  /** The non-empty buckets, oldest first. */
  readonly buckets: readonly Bucket[];
}

/** A window without requests. */
export const emptyWindow: WindowState = { time: 0, buckets: [] };

/** A window at a time, with the buckets that still count. */
interface WindowNow {
  readonly spec: WindowSpec;
  readonly live: readonly Bucket[];
  /** The window's own time, which is ahead of the clock after that was set back. */
  readonly now: number;
  readonly clock: number;
}

/** Returns a window at a time. A window that is ahead of the clock by more than its own length starts again. */
export function windowAt(spec: WindowSpec, state: WindowState, clock: number): WindowNow {
  if (state.time - clock > spec.buckets * spec.bucketMs) {
    return { spec, live: [], now: clock, clock };
  }
  const now = Math.max(state.time, clock);
  const oldest = Math.floor(now / spec.bucketMs) - spec.buckets;
  return { spec, live: state.buckets.filter(({ index }) => index >= oldest), now, clock };
}

export function total({ live }: Pick<WindowNow, "live">): number {
  return live.reduce((sum, { count }) => sum + count, 0);
}

export function addRequests({ spec, live, now }: WindowNow, requests: number): WindowState {
  const index = Math.floor(now / spec.bucketMs);
  const last = live.at(-1);
  const buckets =
    last?.index === index
      ? [...live.slice(0, -1), { index, count: last.count + requests }]
      : [...live, { index, count: requests }];
  return { time: now, buckets };
}

/** Removes a request that was counted at `countedAt`. Returns undefined if its bucket is empty. */
export function withoutOne({ spec, live, now }: WindowNow, countedAt: number) {
  const at = live.findIndex(({ index }) => index === Math.floor(countedAt / spec.bucketMs));
  const bucket = live[at];
  if (!bucket) return undefined;
  const { count } = bucket;
  const buckets =
    count > 1 ? live.with(at, { ...bucket, count: count - 1 }) : live.toSpliced(at, 1);
  return { time: now, buckets } satisfies WindowState;
}

/** Returns a window as it is at its time. */
export function stateOf({ live, now }: WindowNow): WindowState {
  return { time: now, buckets: live };
}

/** Returns the milliseconds until the next bucket stops counting with which at most `most` requests are left; 0 if none. */
function untilLeft({ spec, live, clock }: WindowNow, most: number): number {
  let left = total({ live });
  for (const { index, count } of live) {
    left -= count;
    if (left <= most) return leavesAt(spec, index) - clock;
  }
  return 0;
}

/** Returns what is left in a window. The wait is for `requests`, or until the window is empty if its limit is lower. */
export function windowQuota(window: WindowNow, limit: number, requests: number): WindowQuota {
  const { spec, live, clock } = window;
  const newest = live.at(-1);
  const all = total(window);
  const most = Math.max(0, limit - requests);
  return {
    limit,
    remaining: Math.max(0, limit - all),
    resetAt: newest ? leavesAt(spec, newest.index) : clock,
    // If the limit was lowered below the total, nothing is left yet when the oldest bucket stops counting.
    moreInMs: untilLeft(window, limit - 1),
    waitMs: all <= most ? 0 : untilLeft(window, most),
  };
}
