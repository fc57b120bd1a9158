import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import { createKnownRefusals } from "../../../src/stores/redis/admission/known-refusals.ts";
import { scriptCalls, someTime, useReadyStores, useRedis } from "../../support/stores.ts";

/** A server of its own, because the tests count its calls. */
const redis = useRedis("--appendonly", "no");

describe("an address that Redis has refused", () => {
  const clock = { now: someTime };
  const under = useReadyStores(redis, { now: () => clock.now });
  let run = 0;

  beforeEach(() => {
    run += 1;
    clock.now += 100_000;
  });

  const limits = { perMinute: 3, perDay: 7 };
  const admit = (address = `run ${run}`, { admission } = under.stores) =>
    admission.countAddress(address, limits);

  test("is refused again without a call of Redis", async () => {
    for (let i = 0; i < 4; i += 1) await admit();
    const before = await scriptCalls(redis.client);
    for (let i = 0; i < 500; i += 1) {
      clock.now += 100;
      expect(await admit()).toMatchObject({ verdict: "limited" });
    }
    expect((await scriptCalls(redis.client)) - before).toBe(0);
  });

  test("is refused without a call of Redis for all addresses of its /56", async () => {
    const address = (i: number) => `2001:db8:${run.toString(16)}:${i.toString(16)}::/64`;
    for (let i = 0; i < 5; i += 1) {
      for (let j = 0; j < 3; j += 1) await admit(address(i));
    }
    const before = await scriptCalls(redis.client);
    for (let i = 5; i < 256; i += 1) {
      expect(await admit(address(i))).toMatchObject({ verdict: "limited" });
    }
    expect((await scriptCalls(redis.client)) - before).toBe(0);
  });

  test("gets the same decision as without the cache, at any time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            { weight: 5, arbitrary: fc.nat(2_000) },
            { weight: 1, arbitrary: fc.constantFrom(999, 1_000, 58_999, 60_000, 61_000, 900_000) },
            { weight: 1, arbitrary: fc.integer({ min: -5_000, max: 0 }) },
            { weight: 1, arbitrary: fc.nat(90_000_000) },
          ),
          { minLength: 1, maxLength: 80 },
        ),
        async (gaps) => {
          run += 1;
          const model = createMemoryStores(() => clock.now);
          for (const gap of gaps) {
            clock.now += gap;
            expect(await admit()).toEqual(await admit("an address", model));
          }
        },
      ),
      { numRuns: 150 },
    );
  }, 60_000);
});

describe("known refusals", () => {
  const limits = { perMinute: 1, perDay: 10 };
  const window = { limit: 1, remaining: 0, resetAt: 9_000, moreInMs: 5_000, waitMs: 5_000 };
  const quota = {
    verdict: "limited",
    windows: { minute: window, day: { ...window, remaining: 1, waitMs: 0 } },
    retryInMs: 5_000,
    countedAt: 0,
    decidedAt: 0,
  } as const;
  const at = (time: number) => ({ sentAt: time, repliedAt: time });

  test("remove the oldest when there are too many", () => {
    const known = createKnownRefusals(100);
    for (let i = 0; i < 1_000; i += 1) known.add(`${i}`, limits, quota, at(0));
    const found = Array.from({ length: 1_000 }, (_, i) => known.find(`${i}`, limits, 1)).flatMap(
      (each) => each ?? [],
    );
    expect(found).toHaveLength(100);
    expect(known.find("999", limits, 1)).toBeDefined();
  });

  test("hold no longer than in the store, and report no shorter wait, however late the reply is", () => {
    const known = createKnownRefusals(1);
    known.add("a", limits, quota, { sentAt: 1_000, repliedAt: 1_300 });
    expect(known.find("a", limits, 5_999)).toMatchObject({ retryInMs: 301 });
    expect(known.find("a", limits, 6_000)).toBeUndefined();
  });

  test("are only found with the same limits", () => {
    const known = createKnownRefusals(1);
    known.add("a", limits, quota, at(0));
    expect(known.find("a", { ...limits, perMinute: 2 }, 1)).toBeUndefined();
    expect(known.find("a", limits, 1)).toBeDefined();
  });
});
