import { beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { HoldState } from "../../../gen/store/v1/store_pb.ts";
import { useReadyStores, useRedis } from "../../support/stores.ts";
import { until } from "../../system/harness/until.ts";

const redis = useRedis();
const under = useReadyStores(redis);
const alice = "aaaaaaaaaaaa";
const holds = "inv:{stock}:holds";
beforeEach(async () => {
  await redis.client.flushdb();
  await under.stores.catalog.put([{ petId: 1n, quantity: 10, status: PetStatus.AVAILABLE }]);
  for (const id of ["damaged", "whole"]) {
    await under.stores.holds.put(alice, id, { items: [{ petId: 1n, quantity: 2 }], ttlMs: 1 });
  }
  await until("the holds are due", async () => {
    return (await under.stores.holds.get(alice, "whole"))?.state === HoldState.EXPIRED;
  });
});

describe.each([
  ["cannot be read", () => redis.client.hset(holds, `${alice}/damaged`, "many")],
  ["is lost, but not its entries in the index", () => redis.client.hdel(holds, `${alice}/damaged`)],
])("a hold that %s", (_, damage) => {
  beforeEach(damage);

  test("does not keep other holds from ending", async () => {
    expect(await under.stores.holds.sweep("a process")).toBe(0);
    expect((await under.stores.inventory.get(1n))?.quantity).toBe(8);
  });

  test("does not keep its account from being deleted", async () => {
    await under.stores.holds.deleteAll(alice);
    expect((await under.stores.inventory.get(1n))?.quantity).toBe(8);
    expect(await under.stores.holds.deleteAll(alice)).toBe(0);
  });

  test("can be put again", async () => {
    const items = [{ petId: 1n, quantity: 1 }];
    expect(await under.stores.holds.put(alice, "damaged", { items, ttlMs: 60_000 })).toMatchObject({
      kind: "held",
    });
  });
});
