import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createMemoryReturn } from "../../src/front-door/return-memory.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("hurries during a flood, and collects garbage once after it", () => {
  const calls: string[] = [];
  const collector = { hurry: () => calls.push("hurry"), finish: () => calls.push("finish") };
  const returnMemory = createMemoryReturn(() => {}, collector);
  for (let n = 0; n < 10; n++) {
    returnMemory();
    vi.advanceTimersByTime(4_000);
  }
  expect(calls).toEqual(["hurry"]);
  vi.advanceTimersByTime(60_000);
  expect(calls).toEqual(["hurry", "finish"]);
  returnMemory();
  vi.advanceTimersByTime(60_000);
  expect(calls).toEqual(["hurry", "finish", "hurry", "finish"]);
});

test("this version of node has the flags and the garbage collector", () => {
  const faults: unknown[] = [];
  createMemoryReturn((error) => faults.push(error))();
  vi.advanceTimersByTime(60_000);
  expect(faults).toEqual([]);
});
