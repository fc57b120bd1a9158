import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { historyPage } from "../../src/services/inventory/history-pages.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";

const redis = useRedis();
const history = { length: 1_000, ageMs: 1_000 };
const kinds = [
  { name: "memory", open: (now: () => number) => createMemoryStores(now, { history }) },
  { name: "redis", open: (now: () => number) => openRedisStores(redis.url, { now, history }) },
];

describe.each(kinds)("a history with a maximum age in $name", ({ open }) => {
  beforeEach(async () => void (await redis.client.flushdb()));

  test("loses all changes that are too old with the next change, however few there are", async () => {
    const clock = { now: Date.now() };
    const stores = open(() => clock.now);
    onTestFinished(() => stores.close());
    await stores.ready(5_000);
    const { catalog, inventory } = stores;
    const size = async () => (await inventory.changes({ limit: 10 }))?.changes.length;
    await catalog.put([{ petId: 1n, quantity: 1, status: PetStatus.SOLD }]);
    for (let at = 0; at < 3; at += 1) await inventory.change({ petId: 1n, delta: 1 });
    clock.now += 900;
    await inventory.change({ petId: 1n, delta: 1 });
    expect(await size()).toBe(5);
    clock.now += 101;
    await inventory.change({ petId: 1n, delta: 1 });
    expect(await size()).toBe(2);
  });

  test.each([1, 2, 3])(
    "can be read to its end page by page, when it loses all but its newest change after page %i",
    async (pages) => {
      const clock = { now: Date.now() };
      const stores = open(() => clock.now);
      onTestFinished(() => stores.close());
      await stores.ready(5_000);
      const { catalog, inventory } = stores;
      await catalog.put([{ petId: 1n, quantity: 1, status: PetStatus.SOLD }]);
      for (const petId of [undefined, 1n]) {
        clock.now += 10_000;
        for (let at = 0; at < 8; at += 1) {
          clock.now += 100;
          await inventory.change({ petId: 1n, delta: 1 });
        }
        let next = "";
        for (let page = 0; page < pages; page += 1) {
          const read = await historyPage(inventory, petId, { pageSize: 2, pageToken: next }, {});
          expect(read?.changes).toHaveLength(2);
          next = read?.nextPageToken ?? "";
        }
        clock.now += history.ageMs - 50;
        await inventory.change({ petId: 1n, delta: 1 });
        expect((await inventory.changes({ limit: 10 }))?.changes).toHaveLength(2);
        expect(await historyPage(inventory, petId, { pageSize: 2, pageToken: next }, {})).toEqual({
          changes: [],
          nextPageToken: "",
        });
      }
    },
  );
});
