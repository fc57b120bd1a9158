import fc from "fast-check";
import { expect, test } from "vitest";
import { createTimeBudget } from "../../src/stores/redis/connection/time-budget.ts";

test("commands to a quick server have 300 ms", () => {
  let now = 0;
  const timeBudget = createTimeBudget(() => now);
  for (let reply = 0; reply < 10; reply += 1) {
    const sentAt = now;
    now += 150;
    timeBudget.waited(sentAt);
    expect(timeBudget.deadlineMs()).toBe(300);
  }
});

test("commands to a server that becomes slow share 350 ms, and have 150 ms each after that", () => {
  let now = 1_000;
  const timeBudget = createTimeBudget(() => now);
  now = 1_151;
  timeBudget.waited(1_000);
  expect(timeBudget.deadlineMs()).toBe(199);
  now = 1_180;
  expect(timeBudget.deadlineMs()).toBe(170);
  now = 5_000;
  expect(timeBudget.deadlineMs()).toBe(150);
});

test("replies that take 140 ms are always in time, even after a stall", () => {
  let now = 1_000;
  const timeBudget = createTimeBudget(() => now);
  now += 2_000;
  timeBudget.waited(1_000);
  expect(timeBudget.deadlineMs()).toBeGreaterThan(140);
  const sentAt = now;
  now += 140;
  timeBudget.waited(sentAt);
  expect(timeBudget.deadlineMs()).toBe(300);
});

test("a server is slow since the oldest pending command was sent", () => {
  let now = 1_000;
  const timeBudget = createTimeBudget(() => now);
  now = 1_160;
  timeBudget.waited(1_005);
  timeBudget.waited(1_000);
  expect(timeBudget.deadlineMs()).toBe(190);
});

test("one quick reply restores the whole budget", () => {
  let now = 0;
  const timeBudget = createTimeBudget(() => now);
  now = 4_000;
  timeBudget.waited(0);
  expect(timeBudget.deadlineMs()).toBe(150);
  timeBudget.waited(3_850);
  expect(timeBudget.deadlineMs()).toBe(300);
});

test("the waits of a request to a slow server add up to 350 ms, and 150 ms for each one after that", () => {
  const slow = fc.integer({ min: 151, max: 1_000 });
  fc.assert(
    fc.property(fc.array(slow, { minLength: 1, maxLength: 6 }), (replyTimes) => {
      let now = 0;
      const timeBudget = createTimeBudget(() => now);
      let waits = 0;
      for (const replyMs of replyTimes) {
        const sentAt = now;
        const deadline = timeBudget.deadlineMs();
        waits += 1;
        now += Math.min(replyMs, deadline);
        timeBudget.waited(sentAt);
        if (replyMs > deadline) break; // The request has failed.
      }
      expect(now).toBeLessThanOrEqual(350 + (waits - 1) * 150);
    }),
  );
});
