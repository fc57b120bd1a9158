import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { goneOrdersKey, orderIndexKey } from "../../src/redis/keys.ts";
import { createRedisStores } from "../../src/redis/stores.ts";
import type { Stores } from "../../src/stores.ts";
import { addAccount } from "../support/accounts.ts";
import { placed } from "../support/stock.ts";
import { useRedis } from "../support/stores.ts";

const alice = "aaaaaaaaaaaa";
const bob = "bbbbbbbbbbbb";
const pet = 5n;

describe("orders that were placed before there was an index", () => {
  const redis = useRedis();
  const own: { stores?: Stores } = {};
  beforeEach(async () => {
    await redis.client.flushdb();
    own.stores = createRedisStores(redis.url);
    await own.stores.ready(5_000);
    await own.stores.inventory.put([{ petId: pet, quantity: 10_000, status: PetStatus.AVAILABLE }]);
    await addAccount(own.stores, { plan: "free" }, alice);
    await addAccount(own.stores, { plan: "free" }, bob);
  });
  afterEach(() => own.stores?.close());

  function orders(): Stores["orders"] {
    if (!own.stores) throw new Error("Use the stores only while a test runs.");
    return own.stores.orders;
  }

  const place = (accountId: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => placed(orders(), accountId, pet, 1)));

  /** Removes what earlier versions did not write. */
  const forgetIndex = () => redis.client.del(orderIndexKey, goneOrdersKey);

  async function allIds(): Promise<number[]> {
    const ids: number[] = [];
    let before: bigint | undefined;
    do {
      const page = await orders().listAll(before, 400);
      ids.push(...page.orders.map(({ orderId }) => Number(orderId)));
      before = page.next;
    } while (before !== undefined);
    return ids;
  }

  const downFrom = (highest: number) => Array.from({ length: highest }, (_, at) => highest - at);

  it("are all listed, in more than one step", async () => {
    await place(alice, 1_100);
    await place(bob, 3);
    await place(alice, 7);
    await forgetIndex();
    await place(bob, 2);
    expect(await allIds()).toEqual(downFrom(1_112));
    expect(await redis.client.zcard(orderIndexKey)).toBe(1_112);
  });

  it("are all listed when they are placed after the index was completed", async () => {
    await place(alice, 3);
    await forgetIndex();
    expect(await allIds()).toEqual([3, 2, 1]);
    await place(bob, 2);
    // As a process of an earlier version would place them.
    await redis.client.zremrangebylex(orderIndexKey, "(0000000000000000003-", "+");
    expect(await allIds()).toEqual([5, 4, 3, 2, 1]);
  });

  it("are looked for once, even if accounts were deleted before", async () => {
    await place(alice, 3);
    await place(bob, 3);
    await orders().deleteAll(alice);
    await forgetIndex();
    expect(await allIds()).toEqual([6, 5, 4]);
    await redis.client.config("RESETSTAT");
    expect(await allIds()).toEqual([6, 5, 4]);
    // One script for the ids, one for the orders.
    const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await redis.client.info("commandstats"));
    expect(calls?.[1]).toBe("2");
  });

  it("are found by several processes at the same time", async () => {
    await place(alice, 600);
    await forgetIndex();
    const other = createRedisStores(redis.url);
    await other.ready(5_000);
    const pages = await Promise.all([
      orders().listAll(undefined, 1_000),
      orders().listAll(undefined, 1_000),
      other.orders.listAll(undefined, 1_000),
    ]);
    await other.close();
    for (const page of pages) expect(page.orders).toHaveLength(600);
    expect(await redis.client.get(goneOrdersKey)).toBe("0");
  });
});
