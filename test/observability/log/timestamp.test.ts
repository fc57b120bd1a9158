import { expect, test } from "vitest";
import { createTimestamp } from "../../../src/observability/log/timestamp.ts";

test("each time is that of Date, also when the clock is set back", () => {
  const times = [0, 7, 42, 999, 1_000, 1_999, 1_768_472_430_402, 1_768_472_430_403, 5];
  let now = 0;
  const timestamp = createTimestamp(() => now);
  for (const time of times) {
    now = time;
    expect(timestamp()).toBe(`,"time":"${new Date(time).toISOString()}"`);
  }
});
