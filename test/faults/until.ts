import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits until a condition holds, by polling.
 *
 * @param what names the condition in the error
 * @param check returns undefined or false until the condition holds
 * @returns the last result of `check`
 * @throws Error if the condition does not hold in time
 */
export async function until<T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 5_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) {
      return found;
    }
    if (performance.now() > deadline) {
      throw new Error(`not within ${timeoutMs} ms: ${what}`);
    }
    await delay(5);
  }
}
