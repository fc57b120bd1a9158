import { setImmediate as nextTick } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import type { Redis } from "ioredis";
import { beforeEach, expect, test } from "vitest";
import { ListPetsRequestSchema } from "../../../gen/catalog/v1/catalog_pb.ts";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { listPets } from "../../../src/services/catalog/list-pets.ts";
import { catalogChangesKey, petIdsKey } from "../../../src/stores/redis/keys.ts";
import { itemsFrom } from "../../support/stock.ts";
import { readyStores, useReadyStores, useRedis } from "../../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const under = useReadyStores(redis);
const status = PetStatus.AVAILABLE;
const pet = (petId: bigint, name = "") => ({ petId, quantity: 1, status, name });

beforeEach(async () => {
  await redis.client.flushdb();
  await under.stores.catalog.put([1n, 2n, 3n].map((petId) => pet(petId)));
});

/** Returns how often commands were called since the last time. */
async function callsOf(client: Redis, ...names: readonly string[]): Promise<number[]> {
  const statistics = await client.info("commandstats");
  await client.config("RESETSTAT");
  return names.map((name) =>
    Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(statistics)?.[1] ?? 0),
  );
}

test("an unchanged catalogue of 100,000 pets is the same list, and no entry is read", async () => {
  for (let from = 0n; from < 100_000n; from += 1_000n) {
    await under.stores.catalog.put(itemsFrom(from + 1n, 1_000, 1));
  }
  const first = await under.stores.catalog.list();
  expect(first.entries).toHaveLength(100_000);
  await under.stores.inventory.change({ petId: 1n, delta: 1 });
  await callsOf(redis.client);
  expect(await under.stores.catalog.list()).toBe(first);
  expect(await callsOf(redis.client, "evalsha", "xrevrange", "hmget", "zrangebylex")).toEqual([
    ...[1, 1, 0, 0],
  ]);
  await under.stores.catalog.update(50_000n, { name: "Rex" });
  await callsOf(redis.client);
  const second = await under.stores.catalog.list();
  expect(second.entries[49_999]).toMatchObject({ petId: 50_000n, name: "Rex" });
  expect(second.entries[49_998]).toBe(first.entries[49_998]);
  expect(await under.stores.catalog.list()).toBe(second);
  expect(await callsOf(redis.client, "hmget", "zrangebylex")).toEqual([2, 0]);
});

test("a list has every change that another process has made before the call, added and removed pets too", async () => {
  const { catalog } = await readyStores(redis.url);
  const steps = [
    () => catalog.create(pet(5n, "five")),
    () => catalog.create(pet(4n, "four")),
    () => catalog.update(1n, { name: "one" }),
    () => catalog.remove(2n),
    () => catalog.put([pet(9n), { ...pet(3n), status: PetStatus.SOLD }]),
    () => catalog.create(pet(2n, "two")),
    () => catalog.remove(9n),
  ];
  await under.stores.catalog.list();
  for (const step of steps) {
    await step();
    const { entries, version } = await under.stores.catalog.list();
    expect({ entries, version, more: false }).toEqual(await catalog.page(undefined, 100));
  }
});

test("concurrent first calls share one read of all entries, and each has what was made before it", async () => {
  const cold = (await readyStores(redis.url)).catalog;
  await under.stores.catalog.put(itemsFrom(1n, 3_000, 1));
  await callsOf(redis.client);
  const calls: Promise<void>[] = [];
  for (let at = 1; at <= 20; at += 1) {
    await under.stores.catalog.update(2_999n, { name: `${at}` });
    calls.push(
      cold.list().then(({ entries }) => {
        expect(entries).toHaveLength(3_000);
        expect(Number(entries[2_998]?.name)).toBeGreaterThanOrEqual(at);
      }),
    );
    await nextTick();
  }
  await Promise.all(calls);
  expect(calls).toHaveLength(20);
  // The pages of one read: three of 1,000 entries.
  expect(await callsOf(redis.client, "zrangebylex")).toEqual([3]);
});

test("after more changes than are kept, the list is read again", async () => {
  const { catalog } = under.stores;
  await catalog.list();
  const other = (await readyStores(redis.url)).catalog;
  for (let at = 0; at < 1_100; at += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, own) => other.update(1n, { name: `${at + own}` })),
    );
  }
  expect(await redis.client.xlen(catalogChangesKey)).toBe(1_000);
  expect((await catalog.list()).entries[0]?.name).toBe(
    (await other.find({ petIds: [1n] })).entries[0]?.name,
  );
});

test.each<[what: string, (client: Redis) => Promise<unknown>, left: number]>([
  ["removed", (client) => client.flushdb(), 1],
  ["changed without a trace", (client) => client.del(catalogChangesKey), 4],
])("after all data was %s, the list has what is there", async (_, lose, left) => {
  const { catalog } = under.stores;
  const before = await catalog.list();
  await lose(redis.client);
  await catalog.create(pet(8n, "new"));
  const { entries, version } = await catalog.list();
  expect(entries).toHaveLength(left);
  expect(entries.at(-1)).toMatchObject({ petId: 8n, name: "new" });
  expect(version).toBeGreaterThan(before.version);
});

test("a page has as many entries as were asked for, although long names need several script calls", async () => {
  const { catalog } = under.stores;
  const names = Array.from({ length: 300 }, (_, at) => ({
    ...pet(BigInt(at + 1), "🐶".repeat(200)),
    sku: `${at}`.padStart(64, "-"),
  }));
  await catalog.put(names);
  await callsOf(redis.client);
  const page = await catalog.page(10n, 250);
  expect(page.entries.map(({ petId }) => petId)).toEqual(
    names.slice(10, 260).map(({ petId }) => petId),
  );
  expect(page.more).toBe(true);
  const [calls = 0] = await callsOf(redis.client, "evalsha");
  expect(calls).toBeGreaterThan(1);
  const last = await catalog.page(50n, 250);
  expect([last.entries.length, last.more]).toEqual([250, false]);
  const found = await catalog.find({ skus: names.slice(0, 100).map(({ sku }) => sku) });
  expect(found.entries).toHaveLength(100);
});

test("a page ends, although a damaged index has more pets that do not exist than it has entries", async () => {
  const { catalog } = under.stores;
  const missing = Array.from({ length: 30 }, (_, at) => [0, `${at + 10}`.padStart(19, "0")]);
  await catalog.create(pet(50n));
  await redis.client.zadd(petIdsKey, ...missing.flat());
  const pageOf = async (limit: number) =>
    (await catalog.page(undefined, limit)).entries.map(({ petId }) => petId);
  expect(await pageOf(4)).toEqual([1n, 2n, 3n, 50n]);
  await catalog.remove(1n);
  await catalog.remove(2n);
  await catalog.remove(3n);
  expect(await pageOf(1)).toEqual([50n]);
});

test("a list needs one read of the changes after it, and another only if they are long", async () => {
  const { catalog } = under.stores;
  const long = Array.from({ length: 300 }, (_, at) => pet(BigInt(at + 1), "🐶".repeat(200)));
  await catalog.put(long.map(({ petId }) => pet(petId)));
  await catalog.list();
  await catalog.update(1n, { name: "Rex" });
  await callsOf(redis.client);
  await catalog.list();
  expect(await callsOf(redis.client, "evalsha")).toEqual([1]);
  await catalog.put(long);
  await callsOf(redis.client);
  const { entries } = await catalog.list();
  expect(entries.every(({ name }) => name.startsWith("🐶"))).toBe(true);
  const [calls = 0] = await callsOf(redis.client, "evalsha");
  expect([2, 3, 4]).toContain(calls);
});

test("a list is read again if many entries have changed, and not if fewer have", async () => {
  const { catalog } = under.stores;
  for (let from = 0n; from < 3_000n; from += 1_000n) {
    await catalog.put(itemsFrom(from + 1n, 1_000, 1));
  }
  await catalog.list();
  for (const [changed, isReadAgain] of [
    [900, false],
    [1_500, true],
  ] as const) {
    const name = `${changed}`.repeat(30);
    await catalog.put(Array.from({ length: changed }, (_, at) => pet(BigInt(at + 1), name)));
    await callsOf(redis.client);
    const { entries } = await catalog.list();
    const [pages = 0] = await callsOf(redis.client, "zrangebylex");
    expect(pages > 0).toBe(isReadAgain);
    expect(entries.filter((each) => each.name === name)).toHaveLength(changed);
  }
});

test("an unchanged catalogue is the same frozen response", async () => {
  const read = () => listPets(under.stores.catalog, create(ListPetsRequestSchema), {});
  const first = await read();
  expect(Object.isFrozen(first)).toBe(true);
  expect(await read()).toBe(first);
});

test("one of 50 creators over two processes gets an SKU, in each of 20 rounds", async () => {
  const both = [await readyStores(redis.url), await readyStores(redis.url)];
  for (let round = 0; round < 20; round += 1) {
    const sku = `round ${round}`;
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, at) => {
        const petId = BigInt(1_000 + round * 50 + at);
        const { catalog } = both[at % 2] as (typeof both)[number];
        return catalog.create({ ...pet(petId), sku });
      }),
    );
    const winners = made.filter((each) => typeof each === "bigint");
    expect(winners).toHaveLength(1);
    const [entry, ...others] = (await under.stores.catalog.list()).entries.filter(
      (each) => each.sku === sku,
    );
    expect(others).toEqual([]);
    const losers = made.filter((each) => typeof each !== "bigint");
    expect(losers).toEqual(Array(49).fill({ kind: "sku_taken", by: entry?.petId }));
  }
});
