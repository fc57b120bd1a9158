import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import {
  lastOrderKey,
  orderCountKey,
  orderIndexKey,
  ordersKey,
} from "../../../src/stores/redis/keys.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { until } from "../../faults/until.ts";
import { addAccount } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { placed } from "../../support/stock.ts";
import { useRedis } from "../../support/stores.ts";

const alice = "aaaaaaaaaaaa";
const bob = "bbbbbbbbbbbb";
const pet = 5n;

describe("orders that were placed before there was an index", () => {
  const redis = useRedis();
  const own: { stores?: Stores } = {};
  beforeEach(async () => {
    await redis.client.flushdb();
    own.stores = openRedisStores(redis.url);
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

  /** Places orders, one after the other. @returns their ids */
  async function place(accountId: string, count: number): Promise<bigint[]> {
    const outcomes = Array.from({ length: count }, () => placed(orders(), accountId, pet, 1));
    return (await Promise.all(outcomes)).map(({ orderId }) => orderId);
  }

  /** Removes what earlier versions did not write. */
  const forgetIndex = () => redis.client.del(orderIndexKey, orderCountKey);

  /** Adds orders as a version without an index did. @returns their ids */
  async function placeBefore(accountId: string, ...ids: number[]): Promise<bigint[]> {
    for (const id of ids) {
      const order = `${String(id).padStart(19, "0")},5,1,1,1`;
      await redis.client.zadd(ordersKey(accountId), 0, order);
      await redis.client.set(lastOrderKey, id);
    }
    return ids.map(BigInt);
  }

  async function allIds(): Promise<bigint[]> {
    const ids: bigint[] = [];
    let before: bigint | undefined;
    do {
      const page = await orders().listAll(before, 400);
      ids.push(...page.orders.map(({ orderId }) => orderId));
      before = page.next;
    } while (before !== undefined);
    return ids;
  }

  it("are all listed, in more than one step, before those with ids of the clock", async () => {
    const old = [
      ...(await placeBefore(alice, ...Array.from({ length: 1_100 }, (_, at) => at + 1))),
      ...(await placeBefore(bob, 1_101, 1_102, 1_103)),
    ];
    const ids = [...old, ...(await place(bob, 2)), ...(await place(alice, 1))];
    expect(await allIds()).toEqual(ids.toReversed());
    expect(await redis.client.zcard(orderIndexKey)).toBe(1_106);
    expect(await redis.client.get(orderCountKey)).toBe("1106");
    ids.push(...(await place(alice, 2)));
    expect(await allIds()).toEqual(ids.toReversed());
  });

  it("are all listed when entries of later ones were lost", async () => {
    const ids = [...(await placeBefore(alice, 1, 2, 3)), ...(await place(bob, 3))];
    expect(await allIds()).toEqual(ids.toReversed());
    await redis.client.zremrangebyrank(orderIndexKey, 2, 4);
    expect(await allIds()).toEqual(ids.toReversed());
    await redis.client.unlink(orderIndexKey);
    expect(await allIds()).toEqual(ids.toReversed());
  });

  it("are all listed when processes of the version before place and delete others", async () => {
    const ids = await place(bob, 2);
    expect(await allIds()).toEqual(ids.toReversed());
    // That version increments the last id, and adds an entry, but does not count.
    for (const _ of [1, 2]) {
      const id = String(await redis.client.incr(lastOrderKey));
      await redis.client.zadd(ordersKey(bob), 0, `${id.padStart(19, "0")},5,1,1,1`);
      await redis.client.zadd(orderIndexKey, 0, `${id.padStart(19, "0")},${bob}`);
      ids.push(BigInt(id), ...(await place(alice, 1)));
    }
    expect(await allIds()).toEqual(ids.toReversed());
    expect(await redis.client.get(orderCountKey)).toBe("6");
    await redis.client.zpopmin(ordersKey(bob));
    await redis.client.zpopmin(orderIndexKey);
    expect(await allIds()).toEqual(ids.slice(1).toReversed());
    expect(await redis.client.get(orderCountKey)).toBe("5");
  });

  it("are looked for once, even if accounts were deleted before", async () => {
    await place(alice, 3);
    const ids = await place(bob, 3);
    await orders().deleteAll(alice);
    await forgetIndex();
    expect(await allIds()).toEqual(ids.toReversed());
    ids.push(...(await place(bob, 1)));
    await redis.client.config("RESETSTAT");
    expect(await allIds()).toEqual(ids.toReversed());
    // One script for the ids, one for the orders.
    const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await redis.client.info("commandstats"));
    expect(calls?.[1]).toBe("2");
  });

  it("are not looked for when all were placed with an entry, and some were deleted", async () => {
    const ids = await place(bob, 2);
    await place(alice, 600);
    await orders().deleteAll(alice);
    await redis.client.config("RESETSTAT");
    expect(await allIds()).toEqual(ids.toReversed());
    // One script for the ids, one for the orders.
    const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await redis.client.info("commandstats"));
    expect(calls?.[1]).toBe("2");
  });

  it("are all listed when the index was completed while an account was missing in the list of accounts", async () => {
    if (!own.stores) throw new Error("Use the stores only while a test runs.");
    const ids = [...(await place(alice, 600)), ...(await place(bob, 1))];
    await redis.client.zrem("inv:{accounts}", alice);
    await forgetIndex();
    expect(await allIds()).toEqual(ids.slice(-1));
    // A count of its requests makes the process list the account again.
    const counts = [{ accountId: alice, keyId: "", minute: 1, admitted: 1, limited: 0, banned: 0 }];
    await own.stores.usage.add({ counts, bans: [] });
    const score = () => redis.client.zscore("inv:{accounts}", alice);
    await until("the account is listed", async () => (await score()) !== null);
    expect(await allIds()).toEqual(ids.toReversed());
  });

  it("are found by several processes at the same time", async () => {
    await place(alice, 600);
    await forgetIndex();
    const other = openRedisStores(redis.url);
    await other.ready(5_000);
    const pages = await Promise.all([
      orders().listAll(undefined, 1_000),
      orders().listAll(undefined, 1_000),
      other.orders.listAll(undefined, 1_000),
    ]);
    await other.close();
    for (const page of pages) expect(page.orders).toHaveLength(600);
    expect(await redis.client.get(orderCountKey)).toBe("600");
  });
});
