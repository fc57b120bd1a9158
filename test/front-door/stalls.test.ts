import { expect, onTestFinished, test, vi } from "vitest";
import { createStallDetector, stallCheckMs } from "../../src/front-door/stalls.ts";

test("time in which the process was blocked does not count as a stall of the client", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const timeoutMs = 1_000;
  const connection = { sent: 1 };
  const stalls = createStallDetector<typeof connection>(timeoutMs);
  const lookAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return stalls.findStalled([connection], ({ sent }) => sent);
  };
  const checkMs = stallCheckMs(timeoutMs);
  expect(lookAfter(checkMs)).toEqual([]);
  expect(lookAfter(10 * timeoutMs)).toEqual([]);
  connection.sent += 1;
  for (let ms = 0; ms <= timeoutMs - checkMs; ms += checkMs) expect(lookAfter(checkMs)).toEqual([]);
  expect(lookAfter(checkMs)).toEqual([connection]);
});
