import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createMemoryReturn } from "../../src/front-door/return-memory.ts";

const megabyte = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process whose memory and utilization are set by the test. */
function someProcess() {
  const calls: string[] = [];
  const state = { megabytes: 100, utilization: 0.5, live: 100 };
  const collector = {
    hurry: () => calls.push("hurry"),
    finish() {
      calls.push("finish");
      state.megabytes = state.live;
    },
    residentBytes: () => state.megabytes * megabyte,
    utilization: () => state.utilization,
  };
  return { calls, state, memory: createMemoryReturn(() => {}, collector) };
}

test("hurries during a flood, and collects garbage once after it", () => {
  const { calls, memory } = someProcess();
  for (let n = 0; n < 10; n++) {
    memory.flooded();
    vi.advanceTimersByTime(4_000);
  }
  expect(calls).toEqual(["hurry"]);
  vi.advanceTimersByTime(60_000);
  expect(calls).toEqual(["hurry", "finish"]);
  memory.flooded();
  vi.advanceTimersByTime(60_000);
  expect(calls).toEqual(["hurry", "finish", "hurry", "finish"]);
});

describe("collects the garbage of a load", () => {
  test("once, when the process is calm", () => {
    const { calls, state } = someProcess();
    vi.advanceTimersByTime(10_000);
    state.megabytes = 300;
    vi.advanceTimersByTime(60_000);
    expect(calls).toEqual([]);
    state.utilization = 0.05;
    vi.advanceTimersByTime(60_000);
    expect(calls).toEqual(["finish"]);
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
    expect(calls).toHaveLength(5);
    state.live = 100;
    vi.advanceTimersByTime(160_000);
    expect(state.megabytes).toBe(100);
    state.megabytes = 300;
    vi.advanceTimersByTime(10_000);
    expect(calls).toHaveLength(7);
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

test("this version of node has the flags and the garbage collector", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  const faults: unknown[] = [];
  createMemoryReturn((error) => faults.push(error)).flooded();
  vi.advanceTimersByTime(60_000);
  expect(faults).toEqual([]);
});
