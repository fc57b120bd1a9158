import { setImmediate as nextTick } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryOfProcess, returnMemory } from "../../src/server/load/return-memory.ts";

const megabyte = 1024 * 1024;

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

/** Lets time pass in seconds, without a wait for each timer that other files of the process have. */
async function pass(seconds: number) {
  for (let second = 0; second < seconds; second += 1) {
    vi.advanceTimersByTime(1_000);
    await nextTick();
  }
}

/** A process whose memory is set by the test. A collection leaves `live` of it, unless that is more. */
async function someProcess() {
  const state = { megabytes: 100, live: 100, utilization: 0, collections: 0 };
  const stop = returnMemory(() => {}, {
    async collect() {
      state.collections += 1;
      state.megabytes = Math.min(state.megabytes, state.live);
    },
    residentBytes: () => state.megabytes * megabyte,
    utilization: () => state.utilization,
  });
  await pass(10);
  return { state, stop };
}

test("returns the memory of a load once", async () => {
  const { state } = await someProcess();
  state.megabytes = 300;
  await pass(60);
  expect(state).toMatchObject({ collections: 1, megabytes: 100 });
});

test("collects garbage whenever the process has grown by 100 MiB", async () => {
  const { state } = await someProcess();
  // It stays as large after each collection.
  state.live = Number.POSITIVE_INFINITY;
  const counts: number[] = [];
  for (const megabytes of [190, 250, 340, 360, 600]) {
    state.megabytes = megabytes;
    await pass(1);
    counts.push(state.collections);
  }
  expect(counts).toEqual([0, 1, 1, 2, 3]);
});

test("leaves a busy process alone until it has grown by 150 MiB, or was calm for 10 s", async () => {
  const { state } = await someProcess();
  Object.assign(state, { megabytes: 240, utilization: 0.9 });
  await pass(60);
  expect(state.collections).toBe(0);
  state.megabytes = 260;
  await pass(1);
  expect(state.collections).toBe(1);
  state.megabytes = 240;
  await pass(60);
  state.utilization = 0.05;
  await pass(9);
  expect(state.collections).toBe(1);
  await pass(2);
  expect(state.collections).toBe(2);
});

test("does nothing while the process is small, and after the end", async () => {
  const { state, stop } = await someProcess();
  state.megabytes = 195;
  await pass(60);
  stop();
  state.megabytes = 300;
  await pass(60);
  expect(state.collections).toBe(0);
});

test("collects ever more rarely while the memory is in use, and soon when it no longer is", async () => {
  const { state } = await someProcess();
  Object.assign(state, { megabytes: 300, live: 300 });
  // At once, and after 10, 30, 70 and 150 s.
  await pass(155);
  expect(state.collections).toBe(5);
  state.live = 100;
  await pass(160);
  expect(state).toMatchObject({ collections: 6, megabytes: 100 });
  state.megabytes = 300;
  await pass(10);
  expect(state.collections).toBe(7);
});

test("the garbage of the process can be collected", async () => {
  let garbage: unknown = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  expect(garbage).toHaveLength(1_000_000);
  garbage = undefined;
  const before = process.memoryUsage().heapUsed;
  await memoryOfProcess().collect();
  expect(process.memoryUsage().heapUsed).toBeLessThan(before - 16 * megabyte);
});

test("the share of time in which the process works is known, also with a driven clock", () => {
  const { utilization } = memoryOfProcess();
  expect(utilization()).toBeGreaterThanOrEqual(0);
  expect(utilization()).toBeLessThanOrEqual(1);
});
