import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { lastOrderKey } from "../../../src/stores/redis/keys.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { placed } from "../../support/stock.ts";
import { readyStores, someTime, storeKinds, useRedis } from "../../support/stores.ts";

const alice = "aaaaaaaaaaaa";
const bob = "bbbbbbbbbbbb";
const pet = 5n;

async function put(stores: Stores): Promise<void> {
  await stores.catalog.put([{ petId: pet, quantity: 1_000_000, status: PetStatus.AVAILABLE }]);
}

async function place(stores: Stores, accountId: string): Promise<bigint> {
  return (await placed(stores.orders, accountId, pet, 1)).orderId;
}

/** Places orders at once, so that they share an event-loop tick. */
function placeMany(stores: Stores, accountId: string, count: number): Promise<bigint[]> {
  return Promise.all(Array.from({ length: count }, () => place(stores, accountId)));
}

/** Microseconds since the epoch. */
const micros = (timeMs: number) => BigInt(timeMs) * 1_000n;

describe.each(storeKinds)("order ids in $name", ({ use }) => {
  const under = use();

  test("are the time in microseconds with random low digits", async () => {
    await put(under.stores);
    const digits: number[] = [];
    for (let at = 0; at < 300; at++) {
      under.clock.now += 1_000;
      digits.push(Number((await place(under.stores, alice)) - micros(under.clock.now)));
    }
    expect(Math.min(...digits)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...digits)).toBeLessThan(1_000);
    // The mean of 300 numbers below 1,000 has a standard deviation of 17. These bounds are six of them.
    const mean = digits.reduce((sum, each) => sum + each) / digits.length;
    expect(mean).toBeGreaterThan(400);
    expect(mean).toBeLessThan(600);
    expect(new Set(digits).size).toBeGreaterThan(200);
  });

  test("ascend whatever the clock does, and stay exact in a double", async () => {
    const aStep = fc.record({
      passes: fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 5_000 })),
      counts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 }),
    });
    await put(under.stores);
    let last = 0n;
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { maxLength: 8 }), async (steps) => {
        for (const { passes, counts } of steps) {
          under.clock.now += passes;
          for (const [at, count] of counts.entries()) {
            for (const id of await placeMany(under.stores, at === 0 ? alice : bob, count)) {
              expect(id).toBeGreaterThan(last);
              expect(id).toBeLessThan(2n ** 53n);
              last = id;
            }
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test("follow the clock again once it has passed the last one", async () => {
    await put(under.stores);
    under.clock.now = someTime + 60_000;
    const ahead = await place(under.stores, alice);
    under.clock.now = someTime;
    const next = await place(under.stores, alice);
    expect(next - ahead).toBeGreaterThan(0n);
    expect(next - ahead).toBeLessThanOrEqual(10n);
    under.clock.now = someTime + 120_000;
    expect((await place(under.stores, alice)) / 1_000n).toBe(BigInt(under.clock.now));
  });

  test.each([0, 1, 10, 150])(
    "say nothing about %i orders of others a moment before",
    async (others) => {
      await put(under.stores);
      const rounds = 60;
      let sum = 0;
      for (let round = 0; round < rounds; round++) {
        const first = await place(under.stores, alice);
        await placeMany(under.stores, bob, others);
        // All the time that hides the orders of a tick: 10 µs each.
        under.clock.now += 2;
        const distance = Number((await place(under.stores, alice)) - first);
        expect(distance).toBeGreaterThan(1_000);
        expect(distance).toBeLessThan(3_000);
        sum += distance;
        under.clock.now += 1_000;
      }
      // Differences of two random numbers below 1,000 have a standard deviation of 408. These bounds are six of them.
      const bound = (6 * 408) / Math.sqrt(rounds);
      expect(Math.abs(sum / rounds - 2_000)).toBeLessThan(bound);
    },
  );

  test("do not show at once how many orders others have placed in the same tick", async () => {
    await put(under.stores);
    const distances = new Set<bigint>();
    for (let round = 0; round < 100; round++) {
      under.clock.now += 1_000;
      const [first = 0n, , third = 0n] = await Promise.all([
        place(under.stores, alice),
        place(under.stores, bob),
        place(under.stores, alice),
      ]);
      distances.add(third - first);
    }
    expect(distances.size).toBeGreaterThan(10);
  });
});

describe("order ids of several processes", () => {
  const redis = useRedis();

  /** Opens the stores of some processes. */
  async function open(count: number): Promise<Stores[]> {
    await redis.client.flushdb();
    const opened = Array.from({ length: count }, () => readyStores(redis.url));
    const processes = await Promise.all(opened);
    await Promise.all(processes.slice(0, 1).map(put));
    return processes;
  }

  test("ascend for each of them, and no id is used twice", async () => {
    const lists = await Promise.all(
      (await open(3)).map(async (stores) => {
        const ids: bigint[] = [];
        for (let round = 0; round < 10; round++) {
          ids.push(...(await placeMany(stores, alice, 20)), await place(stores, bob));
        }
        return ids;
      }),
    );
    for (const ids of lists) expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(lists.flat()).size).toBe(3 * 210);
  });

  test("continue the last id of a backup, or of another clock", async () => {
    const [stores] = (await open(1)) as [Stores];
    await redis.client.set(lastOrderKey, 7);
    const now = BigInt(Date.now()) * 1_000n;
    expect(await place(stores, alice)).toBeGreaterThan(now - 60_000_000n);
    let last = now + 3_600_000_000n;
    await redis.client.set(lastOrderKey, String(last));
    for (const id of await placeMany(stores, alice, 60)) {
      expect(id - last).toBeGreaterThan(0n);
      expect(id - last).toBeLessThanOrEqual(10n);
      last = id;
    }
  });
});
