/**
 * A sliding window, counted in equal buckets aligned to the epoch. The current bucket and the `buckets` before it count.
 * They cover every interval of `buckets` × `bucketMs` that ends now, so no such interval has more requests than the limit.
 * In return, a request may count for up to one bucket too long.
 */
export interface WindowSpec {
  /** Buckets that count in addition to the current one. */
  readonly buckets: number;
  /** Length of a bucket in milliseconds. */
  readonly bucketMs: number;
}

/** Returns when a bucket stops counting, in milliseconds since the epoch. @param index its number, counted from the epoch */
export function leavesAt({ buckets, bucketMs }: WindowSpec, index: number): number {
  return (index + buckets + 1) * bucketMs;
}

/** 60 seconds. */
export const minuteWindow: WindowSpec = { buckets: 60, bucketMs: 1_000 };

/** 24 hours. */
export const dayWindow: WindowSpec = { buckets: 96, bucketMs: 900_000 };

/**
 * The window of a key's refused requests, which decide on a ban. The current bucket and 59 before it cover at most 60
 * seconds, so no key is ever banned too early.
 */
export const refusalWindow: WindowSpec = { buckets: 59, bucketMs: 1_000 };
