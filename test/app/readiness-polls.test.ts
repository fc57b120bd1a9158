import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createReadinessPolls } from "../../src/app/readiness-polls.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a poll counts for one minute", () => {
  const polls = createReadinessPolls(() => {});
  expect(polls.isPolled).toBe(false);
  polls.polled();
  vi.advanceTimersByTime(59_999);
  expect(polls.isPolled).toBe(true);
  vi.advanceTimersByTime(1);
  expect(polls.isPolled).toBe(false);
});

test("a poll of another process counts, and is not reported again", () => {
  const report = vi.fn();
  const polls = createReadinessPolls(report);
  polls.polledElsewhere();
  expect(polls.isPolled).toBe(true);
  expect(report).not.toHaveBeenCalled();
});

test("polls are reported at most once a second", () => {
  const report = vi.fn();
  const polls = createReadinessPolls(report);
  for (let ms = 0; ms < 2_500; ms += 100) {
    polls.polled();
    vi.advanceTimersByTime(100);
  }
  expect(report).toHaveBeenCalledTimes(3);
});
