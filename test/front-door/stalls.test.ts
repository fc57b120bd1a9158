import { expect, onTestFinished, test, vi } from "vitest";
import { createStallDetector, stallCheckMs } from "../../src/front-door/stalls.ts";

test("the time in which the process did not look does not make a client stalled", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const timeoutMs = 1_000;
  const connection = { sent: 1 };
  const stalls = createStallDetector<typeof connection>(timeoutMs);
  const lookAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return stalls.look([connection], ({ sent }) => sent);
  };
  const checkMs = stallCheckMs(timeoutMs);
  expect(lookAfter(checkMs)).toEqual([]);
  expect(lookAfter(10 * timeoutMs)).toEqual([]);
  connection.sent += 1;
  for (let ms = 0; ms <= timeoutMs - checkMs; ms += checkMs) expect(lookAfter(checkMs)).toEqual([]);
  expect(lookAfter(checkMs)).toEqual([connection]);
});
