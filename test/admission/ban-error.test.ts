import { expect, test } from "vitest";
import { banError } from "../../src/admission/admission.ts";

test.each([
  ["the ban", 60_000, 0, 0, 60],
  ["the minute", 1_000, 30_001, 0, 31],
  ["the day", 60_000, 0, 7_200_000, 7_200],
])("a banned key waits for %s if that takes longest", (_, retryInMs, minuteMs, dayMs, seconds) => {
  const window = { limit: 60, remaining: 0, resetAt: 0, moreInMs: 0 };
  const windows = { minute: { ...window, waitMs: minuteMs }, day: { ...window, waitMs: dayMs } };
  const quota = { verdict: "banned", windows, retryInMs, countedAt: 0, decidedAt: 0 } as const;
  expect(banError(quota).metadata.get("Retry-After")).toBe(String(seconds));
});
