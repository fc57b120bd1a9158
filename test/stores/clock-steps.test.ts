import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { AdmissionStore } from "../../src/stores/admission-store.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { someTime, useRedis } from "../support/stores.ts";

const redis = useRedis();

/** How the clock moves before a request: as usual, a little back, and by up to two days in either direction. */
const steps = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 5_000 }), weight: 8 },
  { arbitrary: fc.integer({ min: -70_000, max: 0 }), weight: 2 },
  { arbitrary: fc.integer({ min: -172_800_000, max: 172_800_000 }), weight: 1 },
);

const requests = fc.array(
  fc.record({ step: steps, most: fc.integer({ min: 1, max: 3 }), cost: fc.nat(6) }),
  { minLength: 100, maxLength: 150 },
);

test("both stores decide alike, however the clock is set", async () => {
  const clock = { now: someTime };
  const now = () => clock.now;
  const inRedis = openRedisStores(redis.url, { now });
  onTestFinished(() => inRedis.close());
  await inRedis.ready(5_000);
  let run = 0;

  /** Makes an account in a store. @returns a function that makes a request, and returns the decisions on it */
  async function client({ admission, ...stores }: Stores, accountId: string, perDay: number) {
    const all = { ...stores, admission };
    await addAccount(all, { plan: "enterprise", limits: { perMinute: 20, perDay } }, accountId);
    const { keyHash } = await addKey(all, accountId);
    return async (most: number, cost: number) => {
      const decision = await admission.admitKey(accountId, keyHash, undefined, most);
      if (!("windows" in decision)) return [decision];
      const { caller: _, ...quota } = decision;
      if (decision.verdict !== "admitted" || cost < 2) return [quota];
      const counted: Parameters<AdmissionStore["charge"]>[0] = {
        accountId,
        keyHash,
        countedAt: decision.countedAt,
      };
      return [quota, await admission.charge(counted, cost)];
    };
  }

  await fc.assert(
    fc.asyncProperty(requests, fc.integer({ min: 5, max: 200 }), async (made, perDay) => {
      clock.now = someTime;
      run += 1;
      const accountId = `aaaaaaaaa${run
        .toString(6)
        .padStart(3, "0")
        .replace(/\d/g, (at) => "bcdefg".charAt(Number(at)))}`;
      const ofRedis = await client(inRedis, accountId, perDay);
      const ofMemory = await client(createMemoryStores(now), accountId, perDay);
      for (const { step, most, cost } of made) {
        clock.now += step;
        expect(await ofRedis(most, cost)).toEqual(await ofMemory(most, cost));
      }
    }),
    { numRuns: 30 },
  );
}, 60_000);
