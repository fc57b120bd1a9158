import fc from "fast-check";
import { expect, test } from "vitest";
import { createPatience } from "../../src/redis/patience.ts";

test("a server that answers quickly is waited for 300 ms", () => {
  let now = 0;
  const patience = createPatience(() => now);
  for (let answer = 0; answer < 10; answer += 1) {
    const sentAt = now;
    now += 150;
    patience.waited(sentAt);
    expect(patience.deadlineMs()).toBe(300);
  }
});

test("a server that begins to be slow has 350 ms from then on, and 150 ms an answer after that", () => {
  let now = 1_000;
  const patience = createPatience(() => now);
  now = 1_151;
  patience.waited(1_000);
  expect(patience.deadlineMs()).toBe(199);
  now = 1_180;
  expect(patience.deadlineMs()).toBe(170);
  now = 5_000;
  expect(patience.deadlineMs()).toBe(150);
});

test("a server whose every answer takes 140 ms is waited for, after a stall too", () => {
  let now = 1_000;
  const patience = createPatience(() => now);
  now += 2_000;
  patience.waited(1_000);
  expect(patience.deadlineMs()).toBeGreaterThan(140);
  const sentAt = now;
  now += 140;
  patience.waited(sentAt);
  expect(patience.deadlineMs()).toBe(300);
});

test("the oldest of the answers that are waited for says since when it is slow", () => {
  let now = 1_000;
  const patience = createPatience(() => now);
  now = 1_160;
  patience.waited(1_005);
  patience.waited(1_000);
  expect(patience.deadlineMs()).toBe(190);
});

test("one quick answer, and it has all of its time again", () => {
  let now = 0;
  const patience = createPatience(() => now);
  now = 4_000;
  patience.waited(0);
  expect(patience.deadlineMs()).toBe(150);
  patience.waited(3_850);
  expect(patience.deadlineMs()).toBe(300);
});

test("the waits of a request that meets a slow server add up to 350 ms and 150 ms for each after that", () => {
  const slow = fc.integer({ min: 151, max: 1_000 });
  fc.assert(
    fc.property(fc.array(slow, { minLength: 1, maxLength: 6 }), (answers) => {
      let now = 0;
      const patience = createPatience(() => now);
      let waits = 0;
      for (const answer of answers) {
        const sentAt = now;
        const deadline = patience.deadlineMs();
        waits += 1;
        now += Math.min(answer, deadline);
        patience.waited(sentAt);
        if (answer > deadline) break; // The request has failed.
      }
      expect(now).toBeLessThanOrEqual(350 + (waits - 1) * 150);
    }),
  );
});
