import { setImmediate as nextTick } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Connection } from "../../../src/stores/redis/connection/connection.ts";
import { createRedisHistory } from "../../../src/stores/redis/history/history.ts";
import { createListCache } from "../../../src/stores/redis/stock/list-cache.ts";
import {
  createItemPages,
  createWholeListReader,
} from "../../../src/stores/redis/stock/whole-list.ts";
import { openRedisConnection } from "../../support/redis-stores.ts";
import { scriptCalls, useReadyStores, useRedis } from "../../support/stores.ts";

const redis = useRedis();
const pet = (petId: bigint) => ({ petId, quantity: 0, status: PetStatus.AVAILABLE });
const ids = [1n, 2n, 3n];

describe("the cached list in Redis", () => {
  const own: { connection?: Connection } = {};
  const under = useReadyStores(redis);
  const writer = () => under.stores.inventory;

  beforeAll(() => {
    own.connection = openRedisConnection(redis.url);
  });
  beforeEach(async () => {
    await redis.client.flushdb();
    await under.stores.catalog.put(ids.map(pet));
  });
  afterAll(() => own.connection?.close());

  /**
   * Makes an empty cache, and counts how often the whole list is read. The replies to its next commands wait for `gates`, one
   * each.
   */
  function coldList() {
    const { connection } = own;
    if (!connection) throw new Error("the connection exists only while tests run");
    const page = createItemPages(connection);
    const { changesSince } = createRedisHistory(connection);
    const readWhole = createWholeListReader(page, changesSince);
    const reads = { whole: 0, hold: Promise.resolve(), gates: [] as PromiseWithResolvers<void>[] };
    const run: Connection["run"] = async (...commands) => {
      const gate = reads.gates.shift();
      const reply = await connection.run(...commands);
      await gate?.promise;
      return reply;
    };
    const { list, prefetchList } = createListCache({ ...connection, run }, async () => {
      reads.whole += 1;
      const read = await readWhole();
      await reads.hold;
      return read;
    });
    return { list, prefetchList, reads };
  }

  /** Makes reads of the whole list wait until the returned function is called. */
  function holdReads(reads: { hold: Promise<void> }): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    reads.hold = promise;
    return resolve;
  }

  async function untilBegun(reads: { whole: number }, count: number): Promise<void> {
    while (reads.whole < count) await nextTick();
  }

  test("is read once for all concurrent calls, and shows each all changes made before it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ticks: fc.nat(5), changes: fc.nat(2) }), {
          minLength: 1,
          maxLength: 20,
        }),
        async (steps) => {
          const { list, reads } = coldList();
          const release = holdReads(reads);
          const calls: Promise<void>[] = [];
          for (const { ticks, changes } of steps) {
            for (let made = 0; made < changes; made += 1)
              await writer().change({ petId: 2n, delta: 1 });
            const { quantity = 0, version = 0n } = (await writer().get(2n)) ?? {};
            const expectFresh = async () => {
              const read = await list();
              expect(read.items.map(({ petId }) => petId)).toEqual(ids);
              expect(read.items[1]?.quantity).toBeGreaterThanOrEqual(quantity);
              expect(read.version).toBeGreaterThanOrEqual(version);
            };
            calls.push(expectFresh());
            for (let tick = 0; tick < ticks; tick += 1) await nextTick();
          }
          await untilBegun(reads, 1);
          release();
          await Promise.all(calls);
          expect(reads.whole).toBe(1);
        },
      ),
      { numRuns: 30 },
    );
  });

  test.each([
    ["is that of the calls", [0, 1, 2, 3]],
    ["is the reverse", [3, 2, 1, 0]],
    ["is any other", [2, 0, 3, 1]],
  ])(
    "is the same object for all calls that wait for the same changes, if the order of their replies %s",
    async (_, order) => {
      const { list, reads } = coldList();
      await list();
      await writer().change({ petId: 1n, delta: 1 });
      const gates = order.map(() => Promise.withResolvers<void>());
      reads.gates.push(...gates);
      const calls: ReturnType<typeof list>[] = [];
      while (reads.gates.length > 0) {
        calls.push(list());
        await nextTick();
      }
      for (const at of order) {
        gates[at]?.resolve();
        await calls[at];
      }
      const lists = await Promise.all([...calls, list()]);
      expect(lists[0]?.items[0]?.quantity).toBe(1);
      expect(new Set(lists).size).toBe(1);
    },
  );

  test("reads many changes once for all concurrent calls", async () => {
    const { list, reads } = coldList();
    await list();
    for (let at = 0; at < 9; at += 1) {
      await writer().changeAll(ids.map((petId) => ({ petId, quantity: at })));
      await under.stores.catalog.put(
        Array.from({ length: 100 }, (_, index) => pet(BigInt(index + 4))),
      );
    }
    const before = await scriptCalls(redis.client);
    const lists = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        for (let tick = 0; tick < at; tick += 1) await nextTick();
        return list();
      }),
    );
    expect(new Set(lists).size).toBe(1);
    expect(lists[0]?.items).toHaveLength(103);
    expect(reads.whole).toBe(1);
    // Each call alone would send ten script calls or more.
    expect((await scriptCalls(redis.client)) - before).toBeLessThan(lists.length * 5);
  });

  test("fails for all waiting calls when it cannot be read, and is read again for the next", async () => {
    const { list, reads } = coldList();
    const { promise, reject } = Promise.withResolvers<void>();
    promise.catch(() => {});
    reads.hold = promise;
    const waiting = [list()];
    await untilBegun(reads, 1);
    waiting.push(list());
    await nextTick();
    waiting.push(list());
    await nextTick();
    reject(new Error("out of order"));
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(reads.whole).toBe(1);
    reads.hold = Promise.resolve();
    expect((await list()).items).toHaveLength(3);
    expect(reads.whole).toBe(2);
  });

  test("shares a prefetched read with calls for a time before it, and with no others", async () => {
    const { list, prefetchList } = coldList();
    const first = await list();
    const arrivedAt = performance.now();
    await writer().change({ petId: 1n, delta: 1 });
    prefetchList();
    await nextTick();
    const before = await scriptCalls(redis.client);
    expect((await list(arrivedAt)).version).toBeGreaterThan(first.version);
    expect((await scriptCalls(redis.client)) - before).toBe(0);
    await list(performance.now());
    await list();
    expect((await scriptCalls(redis.client)) - before).toBe(2);
  });

  test("is not prefetched before it was read once", async () => {
    const { prefetchList, reads } = coldList();
    prefetchList();
    await nextTick();
    await nextTick();
    expect(reads.whole).toBe(0);
  });
});
