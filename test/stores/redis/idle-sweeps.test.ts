import { expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { HoldState } from "../../../gen/store/v1/store_pb.ts";
import { holdSweeperKey } from "../../../src/stores/redis/keys.ts";
import { useReadyStores, useRedis } from "../../support/stores.ts";
import { until } from "../../system/harness/until.ts";

const redis = useRedis();
const under = useReadyStores(redis);
const alice = "aaaaaaaaaaaa";

async function writes(): Promise<number> {
  const [, count] = /rdb_changes_since_last_save:(\d+)/.exec(await redis.client.info()) ?? [];
  return Number(count);
}

test("a sweep writes nothing unless a hold is due", async () => {
  await under.stores.catalog.put([{ petId: 1n, quantity: 10, status: PetStatus.AVAILABLE }]);
  await under.stores.holds.put(alice, "later", {
    items: [{ petId: 1n, quantity: 1 }],
    ttlMs: 60_000,
  });
  const before = await writes();
  expect(await under.stores.holds.sweep("a process")).toBe(0);
  expect(await writes()).toBe(before);
  await under.stores.holds.put(alice, "due", { items: [{ petId: 1n, quantity: 2 }], ttlMs: 1 });
  await until("the hold is due", async () => {
    return (await under.stores.holds.get(alice, "due"))?.state === HoldState.EXPIRED;
  });
  await under.stores.holds.sweep("a process");
  expect((await under.stores.inventory.get(1n))?.quantity).toBe(9);
});

test("a second process does not sweep at the same time", async () => {
  await under.stores.catalog.put([{ petId: 1n, quantity: 10, status: PetStatus.AVAILABLE }]);
  const due = async (holdId: string) => {
    const hold = { items: [{ petId: 1n, quantity: 2 }], ttlMs: 1 };
    await under.stores.holds.put(alice, holdId, hold);
    await until("the hold is due", async () => {
      return (await under.stores.holds.get(alice, holdId))?.state === HoldState.EXPIRED;
    });
  };
  await due("first");
  await under.stores.holds.sweep("a process");
  // Otherwise another process can sweep as soon as this one has stopped for a second.
  await redis.client.persist(holdSweeperKey);
  await due("second");
  await under.stores.holds.sweep("another process");
  expect((await under.stores.inventory.get(1n))?.quantity).toBe(8);
  await under.stores.holds.sweep("a process");
  expect((await under.stores.inventory.get(1n))?.quantity).toBe(10);
});

test("a sweep returns how many quantities it has changed while more holds are due", async () => {
  const petIds = Array.from({ length: 60 }, (_, at) => BigInt(at + 1));
  await under.stores.catalog.put(
    petIds.map((petId) => ({ petId, quantity: 100, status: PetStatus.AVAILABLE })),
  );
  const hold = async (holdId: string, pets: readonly bigint[]) => {
    const items = pets.map((petId) => ({ petId, quantity: 1 }));
    expect((await under.stores.holds.put(alice, holdId, { items, ttlMs: 1 })).kind).toBe("held");
  };
  const sweepAll = async (last: string) => {
    await until("the holds are due", async () => {
      return (await under.stores.holds.get(alice, last))?.state === HoldState.EXPIRED;
    });
    const changes: number[] = [];
    do changes.push(await under.stores.holds.sweep("a process"));
    while (changes.at(-1) !== 0);
    return changes;
  };
  for (let at = 0; at < 45; at += 1) await hold(`one-${at}`, [1n]);
  // A call ends 20 holds of one pet, or one of 60.
  expect(await sweepAll("one-44")).toEqual([20, 20, 0]);
  for (const name of ["large-1", "large-2", "large-3"]) await hold(name, petIds);
  expect(await sweepAll("large-3")).toEqual([60, 60, 0]);
});
