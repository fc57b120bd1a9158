import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createMemoryReturn } from "../../src/server/load/return-memory.ts";

const megabyte = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process whose memory and utilization are set by the test. */
function someProcess() {
  const calls: string[] = [];
  const state = { megabytes: 100, utilization: 0.5, live: 100, collectionMs: 0 };
  const collector = {
    collect() {
      calls.push("collect");
      vi.advanceTimersByTime(state.collectionMs);
    },
    finish() {
      calls.push("finish");
      state.megabytes = state.live;
    },
    residentBytes: () => state.megabytes * megabyte,
    utilization: () => state.utilization,
  };
  return { calls, state, memory: createMemoryReturn(() => {}, collector) };
}

describe("during a flood", () => {
  test("collects garbage at once and every 150 ms, and finishes once after it", () => {
    const { calls, memory } = someProcess();
    for (let n = 0; n < 10; n++) {
      memory.flooded();
      vi.advanceTimersByTime(150);
    }
    // After 0, 150, …, 1,500 ms.
    expect(calls).toEqual(Array(11).fill("collect"));
    vi.advanceTimersByTime(60_000);
    expect(calls.filter((call) => call === "finish")).toHaveLength(1);
    expect(calls.at(-1)).toBe("finish");
  });

  test("collections take at most a tenth of the time", () => {
    const { calls, state, memory } = someProcess();
    state.collectionMs = 100;
    for (let ms = 0; ms < 10_000; ms += 1_000) {
      memory.flooded();
      vi.advanceTimersByTime(1_000);
    }
    expect(calls.length).toBeGreaterThan(5);
    // Each is followed by 1 s without one.
    expect(calls.length).toBeLessThanOrEqual(11);
  });
});

describe("collects the garbage of a load", () => {
  test("once, when the process is calm", () => {
    const { calls, state } = someProcess();
    vi.advanceTimersByTime(10_000);
    state.megabytes = 300;
    vi.advanceTimersByTime(60_000);
    expect(finishes(calls)).toBe(0);
    state.utilization = 0.05;
    vi.advanceTimersByTime(60_000);
    expect(finishes(calls)).toBe(1);
  });

  test("whenever the process has grown by 100 MiB", () => {
    const { calls, state } = someProcess();
    vi.advanceTimersByTime(10_000);
    for (const megabytes of [190, 250, 340, 360, 600]) {
      state.megabytes = megabytes;
      vi.advanceTimersByTime(5_000);
    }
    // At 250, 360 and 600: it stays as large.
    expect(calls).toEqual(["collect", "collect", "collect"]);
    state.megabytes = 200;
    vi.advanceTimersByTime(5_000);
    state.megabytes = 310;
    vi.advanceTimersByTime(5_000);
    expect(calls).toHaveLength(4);
  });

  test("never when it is small", () => {
    const { calls, state } = someProcess();
    vi.advanceTimersByTime(10_000);
    Object.assign(state, { megabytes: 195, utilization: 0.05 });
    vi.advanceTimersByTime(60_000);
    expect(calls).toEqual([]);
  });

  test("ever more rarely while the memory is in use, and at once when it no longer is", () => {
    const { calls, state } = someProcess();
    vi.advanceTimersByTime(10_000);
    Object.assign(state, { megabytes: 300, live: 300, utilization: 0.05 });
    // After 5, 15, 35, 75 and 155 s.
    vi.advanceTimersByTime(160_000);
    expect(finishes(calls)).toBe(5);
    state.live = 100;
    vi.advanceTimersByTime(160_000);
    expect(state.megabytes).toBe(100);
    state.megabytes = 300;
    vi.advanceTimersByTime(10_000);
    expect(finishes(calls)).toBe(7);
  });

  test("not after the end", () => {
    const { calls, state, memory } = someProcess();
    vi.advanceTimersByTime(10_000);
    memory.stop();
    Object.assign(state, { megabytes: 300, utilization: 0.05 });
    vi.advanceTimersByTime(60_000);
    expect(calls).toEqual([]);
  });
});

function finishes(calls: readonly string[]): number {
  return calls.filter((call) => call === "finish").length;
}

test("this version of node has the flags and the garbage collector", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  const faults: unknown[] = [];
  createMemoryReturn((error) => faults.push(error)).flooded();
  vi.advanceTimersByTime(60_000);
  expect(faults).toEqual([]);
});
