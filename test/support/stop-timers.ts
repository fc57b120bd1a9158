import { onTestFinished, vi } from "vitest";

/** Stops the timers of this process during a test. Then only the test lets them continue. */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    // Those of other files, whose modules the test's file shares. Not up to the last one: beside a timer of a day, one that
    // starts itself again would run a million times.
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
  });
}
