/**
 * A sliding window, counted in equal buckets aligned to the epoch.
 *
 * At any time the current bucket and the `buckets` before it count. An interval of `buckets` ×
 * `bucketMs` that ends now touches no bucket besides these, so no such interval ever holds more
 * requests than the limit; the price is that a request may count for up to one bucket too long.
 */
export interface WindowSpec {
  /** Whole buckets that count besides the current one. */
  readonly buckets: number;
  /** Length of a bucket in milliseconds. */
  readonly bucketMs: number;
}

/**
 * When a bucket does not count any more, in milliseconds since the epoch.
 *
 * @param index number of the bucket since the epoch
 */
export function leavesAt({ buckets, bucketMs }: WindowSpec, index: number): number {
  return (index + buckets + 1) * bucketMs;
}

/** 60 seconds. */
export const minuteWindow: WindowSpec = { buckets: 60, bucketMs: 1_000 };

/** 24 hours. */
export const dayWindow: WindowSpec = { buckets: 96, bucketMs: 900_000 };

/**
 * Refused requests of one key, for the ban. The current bucket and 59 before it are at most 60
 * seconds: here a doubtful request counts for the caller, who is never banned too early.
 */
export const refusalWindow: WindowSpec = { buckets: 59, bucketMs: 1_000 };
