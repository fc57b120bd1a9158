import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { maxQuantity } from "../../src/stores/inventory-store.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useStoreServers } from "../support/stores.ts";
import {
  accountIds,
  accountOperation,
  beginHistory,
  firstKey,
  historyClock,
  holdOperation,
  type Operation,
  quotaOperation,
  somePets,
  stockOperation,
  versions,
} from "./operations.ts";

/** Both stores must choose the same order ids. */
const chooseOrderId = () => ({ micros: 300, step: 7 });

/** Limits that random histories exceed in age and length. */
const historyLimits = { length: 150, ageMs: 100_000_000 };

/** Operations, each after some milliseconds. Time may run backwards. */
type History = readonly {
  readonly passes: number;
  readonly operation: Operation;
  /** Repeats the operation so many steps before instead; 0 for none. */
  readonly repeats: number;
}[];

/** From 0 to more than the longest window, and around the edges of buckets. */
const passing = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 1_500 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1_500, max: 70_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(1_000, 59_999, 60_000, 61_000, 900_000, 86_400_000) },
  { weight: 2, arbitrary: fc.integer({ min: 70_000, max: 200_000_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: -100_000, max: -1 }) },
);

const repeats = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 4 }));

/** Waits of 0 or some buckets. */
const shortly = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 2_500 }) },
  fc.constantFrom(60_000, 61_000, 900_000),
  // The clock is set.
  fc.integer({ min: -70_000, max: 70_000 }),
  fc.integer({ min: -172_800_000, max: 172_800_000 }),
);

/** Around the times in which holds are due. */
const untilDue = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.constantFrom(1, 500, 1_000, 30_000) },
  { weight: 1, arbitrary: fc.constantFrom(86_400_000 - 1, 86_400_000, -10) },
);
describe("stores in redis and in memory", () => {
  const redis = useStoreServers();
  const under: { redis?: Stores } = {};

  beforeAll(async () => {
    under.redis = openRedisStores(redis.target, {
      now: () => historyClock.now,
      history: historyLimits,
      chooseOrderId,
    });
    await under.redis.ready(5_000);
  });
  afterAll(() => under.redis?.close());

  async function expectEqualOutcomes(history: History): Promise<void> {
    if (!under.redis) throw new Error("not connected");
    await redis.flush();
    beginHistory(under.redis);
    const model = createMemoryStores(() => historyClock.now, {
      history: historyLimits,
      chooseOrderId,
    });
    for (const stores of [under.redis, model]) {
      for (const accountId of accountIds) {
        await stores.accounts.createAccount(accountId, accountId, { plan: "free" });
      }
    }
    const made: Operation[] = [];
    for (const { passes, repeats, ...step } of history) {
      historyClock.now += passes;
      const operation = made.at(-repeats || made.length) ?? step.operation;
      made.push(operation);
      expect(await operation(under.redis)).toEqual(await operation(model));
      versions.push((await model.inventory.page(undefined, 1)).version);
    }
  }

  function histories(operation: fc.Arbitrary<Operation>): fc.Arbitrary<History> {
    return fc.array(fc.record({ passes: passing, operation, repeats }), {
      minLength: 1,
      maxLength: 60,
      // The default size makes histories of at most 12 operations.
      size: "max",
    });
  }

  test("return the same for any history of keys, plans, requests and bans", async () => {
    await fc.assert(fc.asyncProperty(histories(accountOperation), expectEqualOutcomes), {
      numRuns: 60,
    });
  }, 60_000);

  test("return the same for any history of requests that count as several", async () => {
    const made: Operation = ({ accounts }) =>
      accounts.createKey(accountIds[0], {
        keyId: firstKey.keyId,
        keyHash: firstKey.keyHash,
        name: "",
        scopes: [],
        expiresAt: undefined,
      });
    const anyHistory = fc
      .array(fc.record({ passes: shortly, operation: quotaOperation, repeats: fc.constant(0) }), {
        minLength: 4,
        maxLength: 60,
      })
      .map((history) => [{ passes: 0, operation: made, repeats: 0 }, ...history]);
    await fc.assert(fc.asyncProperty(anyHistory, expectEqualOutcomes), { numRuns: 250 });
  }, 60_000);

  test("return the same for any history of stock and orders", async () => {
    await fc.assert(fc.asyncProperty(histories(stockOperation), expectEqualOutcomes), {
      numRuns: 150,
    });
  }, 60_000);

  test("return the same for any history of stock, orders and holds", async () => {
    const filled: Operation = ({ catalog }) =>
      catalog.put(
        somePets.map((petId, at) => ({
          petId,
          quantity: at === 0 ? maxQuantity : 10,
          status: PetStatus.AVAILABLE,
        })),
      );
    const operation = fc.oneof(
      { weight: 4, arbitrary: holdOperation },
      { weight: 1, arbitrary: stockOperation },
      { weight: 1, arbitrary: fc.constant(filled) },
    );
    const step = fc.record({ passes: untilDue, operation, repeats });
    const anyHistory = fc
      .array(step, { minLength: 1, maxLength: 60, size: "max" })
      .map((history) => [{ passes: 0, operation: filled, repeats: 0 }, ...history]);
    await fc.assert(fc.asyncProperty(anyHistory, expectEqualOutcomes), { numRuns: 150 });
  }, 60_000);
});
