import { afterEach, beforeEach, vi } from "vitest";

/** Replaces clocks and timers in each test of a file or `describe`. @param config which ones; all if absent */
export function useFakeTime(config?: Parameters<typeof vi.useFakeTimers>[0]): void {
  beforeEach(() => void vi.useFakeTimers(config));
  afterEach(() => void vi.useRealTimers());
}
