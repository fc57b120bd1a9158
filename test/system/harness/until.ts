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
  timeoutMs = 15_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(5);
  }
}

/**
 * Waits until a count that only rises has reached a goal. It has no limit for the whole wait, which depends on the
 * machine and on what else runs there, but one for each step.
 *
 * @param what names the count in the error
 * @param count returns the count now
 * @throws Error if the count stays the same for `stallMs`
 */
export async function untilReached(
  what: string,
  count: () => number,
  goal: number,
  stallMs = 20_000,
): Promise<void> {
  let seen = count();
  while (seen < goal) {
    const from = seen;
    await until(`${what} rises above ${from} of ${goal}`, () => count() > from, stallMs);
    seen = count();
  }
}
