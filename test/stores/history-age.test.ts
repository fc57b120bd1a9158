import { describe, expect, it, onTestFinished } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";

const redis = useRedis();
const history = { length: 1_000, ageMs: 1_000 };
const kinds = [
  { name: "memory", open: (now: () => number) => createMemoryStores(now, history) },
  { name: "redis", open: (now: () => number) => openRedisStores(redis.url, { now, history }) },
];

describe.each(kinds)("a history with a maximum age in $name", ({ open }) => {
  it("loses all changes that are too old with the next change, however few there are", async () => {
    const clock = { now: Date.now() };
    const stores = open(() => clock.now);
    onTestFinished(() => stores.close());
    await stores.ready(5_000);
    const { inventory } = stores;
    const size = async () => (await inventory.changes({ limit: 10 }))?.changes.length;
    await inventory.put([{ petId: 1n, quantity: 1, status: PetStatus.SOLD }]);
    for (let at = 0; at < 3; at += 1) await inventory.adjust(1n, 1);
    clock.now += 900;
    await inventory.adjust(1n, 1);
    expect(await size()).toBe(5);
    clock.now += 101;
    await inventory.adjust(1n, 1);
    expect(await size()).toBe(2);
  });
});
