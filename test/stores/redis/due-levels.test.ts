import { beforeEach, expect, test } from "vitest";
import { dayMs } from "../../../src/common/durations.ts";
import type { StockLevel } from "../../../src/stores/inventory-store.ts";
import { itemsFrom } from "../../support/stock.ts";
import { someTime, useReadyStores, useRedis } from "../../support/stores.ts";

const redis = useRedis();
const clock = { now: someTime };
const under = useReadyStores(redis, { now: () => clock.now });
const alice = "aaaaaaaaaaaa";

beforeEach(async () => {
  clock.now = someTime;
  await redis.client.flushdb();
  await under.stores.catalog.put(itemsFrom(1n, 200, 1_000));
});

/** Holds a unit of each of some pets. */
async function hold(holdId: string, petIds: readonly bigint[], ttlMs: number): Promise<void> {
  const items = petIds.map((petId) => ({ petId, quantity: 1 }));
  expect((await under.stores.holds.put(alice, holdId, { items, ttlMs })).kind).toBe("held");
}

/** Reads all pages. */
async function allLevels(): Promise<{ levels: StockLevel[]; pages: number }> {
  const levels: StockLevel[] = [];
  for (let pages = 1; ; pages += 1) {
    const page = await under.stores.inventory.levels({ after: levels.at(-1)?.petId, limit: 1_000 });
    levels.push(...page.levels);
    if (!page.more) return { levels, pages };
  }
}

/** Returns the levels of all pets if one unit of each is held, or none. */
const expected = (held: number) =>
  itemsFrom(1n, 200).map(({ petId }) => ({ petId, quantity: 1_000 - held, held }));

async function writes(): Promise<number> {
  const [, count] = /rdb_changes_since_last_save:(\d+)/.exec(await redis.client.info()) ?? [];
  return Number(count);
}

/** How many holds are due, each of how many pets, and how many pages there are. */
test.each([
  [20, 10, 1],
  [21, 10, 3],
  [100, 2, 2],
  [2, 100, 1],
])(
  "%i due holds of %i pets each are read in pages that cost little, without a write",
  async (holds, pets, pages) => {
    const petIds = itemsFrom(1n, 200).map(({ petId }) => petId);
    for (let at = 0; at < holds; at += 1) {
      const own = petIds.slice((at * pets) % 200, ((at * pets) % 200) + pets);
      await hold(`due-${at}`, own, 1_000);
    }
    for (const from of [0, 100])
      await hold(`active-${from}`, petIds.slice(from, from + 100), dayMs);
    clock.now += 1_000;
    const before = await writes();
    expect(await allLevels()).toEqual({ levels: expected(1), pages });
    expect(await writes()).toBe(before);
  },
);

test("due holds of one pet that are too many for one call are ended first", async () => {
  for (let at = 0; at < 150; at += 1) await hold(`due-${at}`, [1n, 2n], 1_000);
  clock.now += 1_000;
  const level = { petId: 2n, quantity: 1_000, held: 0 };
  const { inventory } = under.stores;
  expect(await inventory.levels({ petIds: [2n], limit: 1 })).toEqual({
    levels: [level],
    more: false,
  });
  expect((await inventory.get(1n))?.quantity).toBe(1_000);
  expect((await allLevels()).levels).toEqual(expected(0));
});
