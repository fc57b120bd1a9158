import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits for a condition by looking again and again.
 *
 * @param what names the condition, for the error
 * @param look returns undefined or false as long as the condition does not hold
 * @returns what `look` returned at last
 * @throws Error when the condition does not hold in time
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 5_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) {
      return found;
    }
    if (performance.now() > deadline) {
      throw new Error(`not within ${timeoutMs} ms: ${what}`);
    }
    await delay(5);
  }
}
