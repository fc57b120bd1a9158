import { type Failures, retryDelayMs } from "./retry-delay.ts";

/** Waits until the next attempt, or until the browser is online again, or until the signal is aborted. */
export async function waitToRetry(failures: Failures, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, retryDelayMs(failures));
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
