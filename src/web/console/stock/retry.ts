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

/** Waits until the next attempt, or until the browser is online again, or until the signal is aborted. */
export async function waitToRetry(
  failures: number,
  atLeastMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, retryDelayMs(failures, atLeastMs));
    function end(): void {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    }
    addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
