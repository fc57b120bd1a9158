import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createStallDetector, stallCheckMs } from "../../src/server/load/stalls.ts";

test("time in which the process was blocked does not count as a stall of the client", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const timeoutMs = 1_000;
  const connection = { sent: 1, waiting: 1_000 };
  const findStalled = createStallDetector<typeof connection>(timeoutMs, 1);
  const lookAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return findStalled([connection], (sent) => sent);
  };
  const checkMs = stallCheckMs(timeoutMs);
  expect(lookAfter(checkMs)).toEqual([]);
  expect(lookAfter(10 * timeoutMs)).toEqual([]);
  connection.sent += 1;
  for (let ms = 0; ms <= timeoutMs - checkMs; ms += checkMs) expect(lookAfter(checkMs)).toEqual([]);
  expect(lookAfter(checkMs)).toEqual([connection]);
});

describe("a client that reads too slowly is found when the timeout has passed:", () => {
  const timeoutMs = 1_000;
  const checkMs = stallCheckMs(timeoutMs);
  const bytesPerSecond = 800;

  /** Returns whether a client that reads at a rate is found within three times the timeout. */
  function isFound(bytesRead: number, waiting: number): boolean {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const findStalled = createStallDetector<string>(timeoutMs, bytesPerSecond);
    let read = 0;
    for (let ms = 0; ms < 3 * timeoutMs; ms += checkMs) {
      vi.advanceTimersByTime(checkMs);
      read += bytesRead;
      const sent = () => (read < waiting ? { sent: read, waiting: waiting - read } : undefined);
      if (findStalled(["client"], sent).length > 0) return true;
    }
    return false;
  }

  test.each([
    ["one that reads a byte between two checks", 1, 1_000_000, true],
    ["one that reads a little slower than demanded", 85, 1_000_000, true],
    ["not one that reads as fast as demanded", 100, 1_000_000, false],
    ["not one that slowly reads all of a short response", 20, 100, false],
  ])("%s", (_, bytesRead, waiting, found) => {
    expect(isFound(bytesRead, waiting)).toBe(found);
  });
});
