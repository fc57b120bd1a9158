import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { TickBudget } from "../../src/http/tick-budget.ts";

/** A budget with a clock that the test sets. */
function withClock() {
  const clock = { ms: 0 };
  return { clock, budget: new TickBudget("parsing", () => clock.ms) };
}

/** Takes steps until the budget is used up. @returns how many, at most 1,000 */
function takeAll(budget: TickBudget): number {
  let taken = 0;
  while (taken < 1_000 && budget.take()) taken += 1;
  return taken;
}

test("a tick begins no more work when its time is used up, but the next tick does", async () => {
  const { budget, clock } = withClock();
  for (let step = 0; step < 10; step++) expect(budget.take()).toBe(true);
  clock.ms += 3.1;
  expect(budget.take()).toBe(false);
  clock.ms = 0;
  expect(budget.take()).toBe(false);
  await nextTick();
  expect(budget.take()).toBe(true);
});

test("a tick begins a bounded number of steps, even if the clock does not advance", async () => {
  const { budget } = withClock();
  const first = takeAll(budget);
  expect(first).toBeLessThan(200);
  await nextTick();
  expect(takeAll(budget)).toBe(first);
  await nextTick();
  let large = 0;
  while (budget.take(16)) large += 1;
  expect(large).toBeLessThanOrEqual(first / 16 + 1);
});

test("a few steps per tick never use up the budget", async () => {
  const { budget, clock } = withClock();
  for (let tick = 0; tick < 100; tick++) {
    clock.ms += 50;
    expect(budget.take()).toBe(true);
    await nextTick();
  }
});

test("deferred work of one owner runs in order", async () => {
  const { budget } = withClock();
  const done: number[] = [];
  for (let n = 0; n < 500; n++) {
    budget.defer("owner", () => {
      done.push(n);
      return true;
    });
  }
  expect(budget.isWaiting("owner")).toBe(true);
  expect(done).toEqual([]);
  while (budget.hasDeferred) await nextTick();
  expect(done).toEqual(Array.from({ length: 500 }, (_, n) => n));
  expect(budget.isWaiting("owner")).toBe(false);
});

test("one deferred request of an owner does not wait for owners with a thousand", async () => {
  const { budget, clock } = withClock();
  let ticks = 0;
  const count = () => {
    clock.ms += 0.03;
    return true;
  };
  for (let n = 0; n < 1_000; n++) {
    for (const owner of ["a", "b", "c"]) budget.defer(owner, count);
  }
  // The budget has seen that all three have much work.
  await nextTick();
  let isDone = false;
  budget.defer("modest", () => {
    isDone = true;
    return true;
  });
  while (!isDone) {
    await nextTick();
    ticks += 1;
  }
  expect(ticks).toBe(1);
  expect(budget.isWaiting("a")).toBe(true);
});

test("owners with much work take turns", async () => {
  const { budget, clock } = withClock();
  const done: Record<string, number> = { a: 0, b: 0, c: 0 };
  for (const owner of ["a", "b", "c"]) {
    for (let n = 0; n < 1_000; n++) {
      budget.defer(owner, () => {
        clock.ms += 0.1;
        done[owner] = (done[owner] ?? 0) + 1;
        return true;
      });
    }
  }
  for (let tick = 0; tick < 20; tick++) {
    await nextTick();
    const counts = Object.values(done);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(30);
  }
});

test("work that is not ready is retried before all other work", async () => {
  const { budget } = withClock();
  const done: string[] = [];
  let isReady = false;
  budget.defer("owner", () => {
    if (isReady) done.push("first");
    return isReady;
  });
  budget.defer("owner", () => done.push("second") > 0);
  budget.defer("other", () => done.push("other") > 0);
  await nextTick();
  await nextTick();
  expect(done).toEqual([]);
  isReady = true;
  await expect.poll(() => done).toEqual(["first", "other", "second"]);
});

test("work that deferred work defers counts in the next tick", async () => {
  const { budget } = withClock();
  const taken: boolean[] = [];
  budget.defer("owner", () => {
    taken.push(budget.take());
    return true;
  });
  await nextTick();
  expect(taken).toEqual([false]);
  expect(budget.take()).toBe(true);
});

test("an owner whose work defers more work keeps one place among the others", async () => {
  const { budget } = withClock();
  const done = { first: 0, second: 0 };
  const repeat = (owner: "first" | "second") => {
    budget.defer(owner, () => {
      done[owner] += 1;
      if (done[owner] < 10_000) repeat(owner);
      return true;
    });
  };
  repeat("first");
  for (let tick = 0; tick < 10; tick++) await nextTick();
  repeat("second");
  // The second owner has used less, so it is served alone until it has used as much.
  for (let tick = 0; tick < 20; tick++) await nextTick();
  const before = { ...done };
  for (let tick = 0; tick < 10; tick++) await nextTick();
  expect(done.first - before.first).toBeGreaterThan(0);
  expect(done.second - before.second).toBeGreaterThan(0);
});

/** Defers work that takes `ms` on the budget's clock. */
function deferTimed(
  { budget, clock }: ReturnType<typeof withClock>,
  owner: string,
  ms: number,
  done: string[],
) {
  budget.defer(owner, () => {
    clock.ms += ms;
    done.push(owner);
    return true;
  });
}

test("an owner of expensive work waits for owners of cheap work", async () => {
  const own = withClock();
  const done: string[] = [];
  for (let n = 0; n < 10; n++) deferTimed(own, "expensive", 20, done);
  await nextTick();
  for (let n = 0; n < 50; n++) deferTimed(own, "cheap", 0.05, done);
  while (own.budget.hasDeferred) await nextTick();
  expect(done.slice(0, 51)).toEqual(["expensive", ...Array(50).fill("cheap")]);
  expect(done.length).toBe(60);
});

test("work that was allowed at once counts by its time", async () => {
  const own = withClock();
  const done: string[] = [];
  expect(own.budget.isSpent).toBe(false);
  own.budget.spend(20);
  own.budget.charge("expensive", 20);
  expect(own.budget.isSpent).toBe(true);
  deferTimed(own, "expensive", 1, done);
  deferTimed(own, "cheap", 1, done);
  while (own.budget.hasDeferred) await nextTick();
  expect(done).toEqual(["cheap", "expensive"]);
});

test("an owner's use is forgotten after a while", async () => {
  const own = withClock();
  const done: string[] = [];
  own.budget.charge("expensive", 20);
  own.clock.ms += 2_000;
  deferTimed(own, "expensive", 1, done);
  deferTimed(own, "cheap", 1, done);
  while (own.budget.hasDeferred) await nextTick();
  expect(done).toEqual(["expensive", "cheap"]);
});

test("work for a response that was destroyed leaves the tick to other work", async () => {
  const { budget } = withClock();
  const response = { destroyed: false };
  const done = { dropped: 0, wanted: 0 };
  const count = (kind: keyof typeof done) => () => {
    done[kind] += 1;
    return true;
  };
  for (let n = 0; n < 1_000; n++) budget.defer("resets", count("dropped"), 16, response);
  budget.defer("resets", count("wanted"), 16, { destroyed: false });
  response.destroyed = true;
  await nextTick();
  expect(done).toEqual({ dropped: 1_000, wanted: 1 });
});
