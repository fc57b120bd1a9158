import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { inSlices } from "../../src/call/slices.ts";

/** Blocks for some time, in ms. */
function spin(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

function* steps(count: number, ms: number) {
  for (let step = 0; step < count; step += 1) {
    spin(ms);
    yield;
  }
  return count;
}

test("returns the result of short work synchronously", () => {
  expect(inSlices(steps(3, 0))).toBe(3);
});

test("spreads long work over several event-loop ticks", async () => {
  let isDone = false;
  let ticks = 0;
  const work = Promise.resolve(inSlices(steps(40, 1))).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTick();
    ticks += 1;
  }
  expect(await work).toBe(40);
  expect(ticks).toBeGreaterThanOrEqual(10);
});

test("work begins in a later tick when others have begun for a slice in this one", async () => {
  await nextTick();
  let begun = 0;
  function* work() {
    begun += 1;
    yield* steps(1, 3);
    return begun;
  }
  const results = Array.from({ length: 6 }, () => inSlices(work()));
  expect(begun).toBe(1);
  expect((await Promise.all(results)).length).toBe(6);
  expect(begun).toBe(6);
});

test("an error of one work, thrown at once or later, does not stop other work", async () => {
  function* failing(count: number): Generator<void, number> {
    yield* steps(count, 1);
    throw new Error("out of order");
  }
  await nextTick();
  expect(() => inSlices(failing(0))).toThrow("out of order");
  const failed = inSlices(failing(10));
  const after = inSlices(steps(10, 1));
  await expect(failed).rejects.toThrow("out of order");
  expect(await after).toBe(10);
});
