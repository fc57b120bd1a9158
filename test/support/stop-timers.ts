import { onTestFinished, vi } from "vitest";

/** Stops the timers of this process during a test. Then only the test lets them continue. */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    // Those of other files, whose modules the test's file shares.
    vi.runOnlyPendingTimers();
    vi.useRealTimers();
  });
}
