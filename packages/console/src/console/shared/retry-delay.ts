const shortestMs = 500;
/** Attempts that do not reach the service, or that it cannot count, cost the account nothing. */
const longestMs = 8_000;
/** An attempt that the service has admitted counts against the limits of the account. */
const longestCountedMs = 5 * 60_000;

/** Why and how often an attempt has failed. */
export interface Failures {
  /** Failures since a connection has lasted. */
  readonly count: number;
  /** Whether the last attempt counts against the limits of the account. */
  readonly isCounted: boolean;
  /** What the server has asked for, in milliseconds. */
  readonly atLeastMs?: number | undefined;
}

/**
 * Returns the time before the next attempt, in milliseconds. It doubles with each failure, and a random part of it keeps
 * many browsers from reconnecting at once.
 *
 * @param random a number from 0 to 1
 */
export function retryDelayMs(failures: Failures, random = Math.random()): number {
  const { count, isCounted, atLeastMs = 0 } = failures;
  const most = Math.min(isCounted ? longestCountedMs : longestMs, shortestMs * 2 ** count);
  return Math.max(atLeastMs, (most / 2) * (1 + random));
}
