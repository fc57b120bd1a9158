import { setTimeout as pause } from "node:timers/promises";

/** The shortest time between two runs, in milliseconds. It bounds the cost of frequent calls of `soon`. */
const minPauseMs = 50;

/** Runs work at once, and then repeatedly, each time after `pauseMs()`. Runs do not overlap. */
export function repeat(
  work: () => Promise<void>,
  pauseMs: () => number,
  onFailure: (error: unknown) => void,
) {
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isWanted = false;
  let isStopped = false;

  async function run(): Promise<void> {
    isRunning = true;
    isWanted = false;
    await work().catch(onFailure);
    isRunning = false;
    schedule(isWanted ? minPauseMs : pauseMs());
  }

  function schedule(ms: number): void {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(run, ms).unref();
  }

  run();
  return {
    /** Runs the work soon. If the work is running now, it runs once more afterwards. */
    soon(): void {
      if (isWanted) return;
      isWanted = true;
      if (!isRunning) schedule(minPauseMs);
    },
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** The pause between two checks, in milliseconds. */
const checkMs = 20;

/** Repeats a check until it succeeds or the time is over, at least once. @returns whether the check has succeeded */
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
