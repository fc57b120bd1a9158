const shortestMs = 500;
const longestMs = 8_000;

/**
 * Returns the time before the next attempt, in milliseconds. It doubles with each failure, and a random part of it keeps
 * many browsers from reconnecting at once.
 *
 * @param atLeastMs what the server has asked for
 * @param random a number from 0 to 1
 */
export function retryDelayMs(failures: number, atLeastMs = 0, random = Math.random()): number {
  const most = Math.min(longestMs, shortestMs * 2 ** failures);
  return Math.max(atLeastMs, (most / 2) * (1 + random));
}
