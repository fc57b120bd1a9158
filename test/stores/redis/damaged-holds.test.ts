import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { HoldState } from "../../../gen/store/v1/store_pb.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { until } from "../../system/harness/until.ts";

const redis = useRedis();
const own: { stores?: Stores } = {};
const alice = "aaaaaaaaaaaa";
const holds = "inv:{stock}:holds";

beforeAll(async () => {
  own.stores = openRedisStores(redis.url);
  await own.stores.ready(5_000);
});
afterAll(() => own.stores?.close());
beforeEach(async () => {
  await redis.client.flushdb();
  await stores().inventory.put([{ petId: 1n, quantity: 10, status: PetStatus.AVAILABLE }]);
  for (const id of ["damaged", "whole"]) {
    await stores().holds.put(alice, id, [{ petId: 1n, quantity: 2 }], 1);
  }
  await until("the holds are due", async () => {
    return (await stores().holds.get(alice, "whole"))?.state === HoldState.EXPIRED;
  });
});

function stores(): Stores {
  if (!own.stores) throw new Error("Use the stores only while a test runs.");
  return own.stores;
}

describe.each([
  ["cannot be read", () => redis.client.hset(holds, `${alice}/damaged`, "many")],
  ["is lost, but not its entries in the index", () => redis.client.hdel(holds, `${alice}/damaged`)],
])("a hold that %s", (_, damage) => {
  beforeEach(damage);

  test("does not keep other holds from ending", async () => {
    expect(await stores().holds.sweep("a process")).toBe(0);
    expect((await stores().inventory.get(1n))?.quantity).toBe(8);
  });

  test("does not keep its account from being deleted", async () => {
    await stores().holds.deleteAll(alice);
    expect((await stores().inventory.get(1n))?.quantity).toBe(8);
    expect(await stores().holds.deleteAll(alice)).toBe(0);
  });

  test("can be put again", async () => {
    const items = [{ petId: 1n, quantity: 1 }];
    expect(await stores().holds.put(alice, "damaged", items, 60_000)).toMatchObject({
      kind: "held",
    });
  });
});
