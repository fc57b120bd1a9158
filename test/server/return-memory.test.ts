import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { returnMemory } from "../../src/server/load/return-memory.ts";

const megabyte = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process whose memory and utilization are set by the test. It has been looked at. */
function someProcess() {
  const state = { megabytes: 100, utilization: 0.5, live: 100, collections: 0, finishes: 0 };
  const stop = returnMemory(() => {}, {
    collect() {
      state.collections += 1;
    },
    finish() {
      state.finishes += 1;
      state.megabytes = state.live;
    },
    residentBytes: () => state.megabytes * megabyte,
    utilization: () => state.utilization,
  });
  vi.advanceTimersByTime(10_000);
  return { state, stop };
}

test("returns the memory of a load once, when the process is calm", () => {
  const { state } = someProcess();
  state.megabytes = 300;
  vi.advanceTimersByTime(60_000);
  expect(state.finishes).toBe(0);
  state.utilization = 0.05;
  vi.advanceTimersByTime(60_000);
  expect(state).toMatchObject({ finishes: 1, megabytes: 100 });
});

test("collects garbage whenever the process has grown by 100 MiB", () => {
  const { state } = someProcess();
  const after = (megabytes: number) => {
    state.megabytes = megabytes;
    vi.advanceTimersByTime(1_000);
    return state.collections;
  };
  // It stays as large after each collection.
  expect([190, 250, 340, 360, 600, 200, 310].map(after)).toEqual([0, 1, 1, 2, 3, 3, 4]);
});

test("does nothing while the process is small, and after the end", () => {
  const { state, stop } = someProcess();
  Object.assign(state, { megabytes: 195, utilization: 0.05 });
  vi.advanceTimersByTime(60_000);
  stop();
  state.megabytes = 300;
  vi.advanceTimersByTime(60_000);
  expect(state).toMatchObject({ collections: 0, finishes: 0 });
});

test("returns memory ever more rarely while the memory is in use, and soon when it no longer is", () => {
  const { state } = someProcess();
  Object.assign(state, { megabytes: 300, live: 300, utilization: 0.05 });
  // After 5, 15, 35, 75 and 155 s.
  vi.advanceTimersByTime(160_000);
  expect(state.finishes).toBe(5);
  state.live = 100;
  vi.advanceTimersByTime(160_000);
  expect(state.megabytes).toBe(100);
  state.megabytes = 300;
  vi.advanceTimersByTime(10_000);
  expect(state.finishes).toBe(7);
});
