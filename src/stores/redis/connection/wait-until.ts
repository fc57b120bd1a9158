import { setTimeout as pause } from "node:timers/promises";

/** The pause between two checks, in milliseconds. */
const checkMs = 20;

/**
 * Repeats a check until it succeeds or the time is over. It makes at least one check.
 *
 * @param timeoutMs the longest wait, in milliseconds
 * @returns whether the check has succeeded
 */
export async function waitUntil(
  check: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<boolean> {
  const endsAt = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() >= endsAt) return false;
    await pause(checkMs);
  }
  return true;
}
