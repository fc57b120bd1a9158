import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { dayMs } from "../../src/common/durations.ts";
import { orderRemovalKey } from "../../src/stores/redis/keys.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { useCommandData } from "../cli/command-data.ts";
import { runHere, succeedHere } from "../cli/command-line.ts";
import { addAccount } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";
import { until } from "../system/harness/until.ts";

const redis = useRedis("--appendonly", "no");
const own = useCommandData(redis);
const alice = "aaaaaaaaaaaa";
const limits = { mostOpen: 1_000, keptMs: 90 * dayMs };
const ended = `inv:{stock}:ended-orders:${alice}`;

const under: { past?: Stores; now?: Stores } = {};
/** What the stores `past` take for the time: more than 90 days ago. */
const clock = { now: 0 };

beforeEach(async () => {
  clock.now = Date.now() - 100 * dayMs;
  under.past = openRedisStores(redis.url, { now: () => clock.now, orders: limits });
  under.now = openRedisStores(redis.url, { orders: limits });
});
afterEach(async () => {
  await under.past?.close();
  await under.now?.close();
});

function stores(which: "past" | "now"): Stores {
  const found = under[which];
  if (!found) throw new Error("use the stores only while a test runs");
  return found;
}

async function place(accountId = alice): Promise<bigint> {
  const outcome = await stores("past").orders.place(accountId, { petId: 1n, quantity: 1 });
  if (outcome.kind !== "placed") throw new Error(outcome.kind);
  return outcome.order.orderId;
}

/** Places orders that ended long ago, one that ended lately, and an open one. A hold has placed some of them. */
async function someOrders(): Promise<{ kept: bigint[]; old: bigint[] }> {
  const { orders, holds, catalog } = stores("past");
  await addAccount(own.stores);
  await catalog.put(
    [1n, 2n].map((petId) => ({ petId, quantity: 100, status: PetStatus.AVAILABLE })),
  );
  const items = [1n, 2n].map((petId) => ({ petId, quantity: 3 }));
  await holds.put(alice, "cart", { items, ttlMs: 60_000 });
  const confirmed = await holds.confirm(alice, "cart");
  if (confirmed.kind !== "held") throw new Error(confirmed.kind);
  const [cancelled, delivered, open, late] = [
    await place(),
    await place(),
    await place(),
    await place(),
  ];
  await orders.cancel(alice, cancelled);
  for (const orderId of [delivered, ...confirmed.hold.orderIds]) {
    await orders.advance(alice, orderId, OrderStatus.DELIVERED);
  }
  clock.now += 2 * dayMs;
  while (await holds.sweep("a process"));
  clock.now += 30 * dayMs;
  await orders.advance(alice, late, OrderStatus.DELIVERED);
  return { kept: [late, open], old: [delivered, cancelled, ...confirmed.hold.orderIds] };
}

async function removeAll(): Promise<void> {
  while (await stores("now").orders.removeEnded()) {
    await until("the pause is over", async () => !(await redis.client.exists(orderRemovalKey)));
  }
}

async function ids(): Promise<bigint[]> {
  const { orders } = await stores("now").orders.list({ limit: 100 });
  return orders.map(({ orderId }) => orderId);
}

const inventory = (...args: string[]) => runHere(args, { redisUrl: redis.url });
const succeeding = (...args: string[]) => succeedHere(args, { redisUrl: redis.url });

test("verify and backup agree with orders that were removed because of their age", async () => {
  const { kept, old } = await someOrders();
  expect((await ids()).length).toBe(kept.length + old.length);
  expect(await succeeding("verify")).toContain(" 6 orders ");
  await removeAll();
  expect(await ids()).toEqual(kept);
  // The whole history still has the changes that have placed and cancelled the others.
  expect(await succeeding("verify")).toContain(" 2 orders ");
  const file = join(own.directory, "backup.ndjson.gz");
  await succeeding("backup", file);
  await succeeding("verify", file);
  await redis.client.flushall();
  await succeeding("restore", file);
  expect(await succeeding("verify")).toContain(" 2 orders ");
  expect(await ids()).toEqual(kept);
});

test("verify knows the latest end of the removed orders, whichever account was the last one", async () => {
  const { orders, catalog } = stores("past");
  const bob = "bbbbbbbbbbbb";
  await addAccount(own.stores);
  await addAccount(own.stores, undefined, bob);
  await catalog.put([{ petId: 1n, quantity: 100, status: PetStatus.AVAILABLE }]);
  // All of alice's orders are removed before bob's, because her first one ended before it.
  for (const accountId of [alice, bob, alice]) {
    clock.now += 1_000;
    await orders.advance(accountId, await place(accountId), OrderStatus.DELIVERED);
  }
  await removeAll();
  // A list of all orders would count them again.
  await succeeding("verify");
  expect(await ids()).toEqual([]);
});

test("a restore brings back when orders ended, so that they are removed at their time", async () => {
  const { kept } = await someOrders();
  const file = join(own.directory, "backup.ndjson.gz");
  await succeeding("backup", file);
  await redis.client.flushall();
  await succeeding("restore", file);
  await removeAll();
  expect(await ids()).toEqual(kept);
  expect(await redis.client.zcard(ended)).toBe(1);
  await succeeding("verify");
});

test("verify reports an order that is missing, although it was placed after the last removed one ended", async () => {
  await someOrders();
  await removeAll();
  const lost = await place();
  await redis.client.zremrangebylex(
    `inv:{stock}:account-orders:${alice}`,
    `[${String(lost).padStart(19, "0")}`,
    "+",
  );
  const { code, stdout, stderr } = await inventory("verify");
  expect([code, stdout + stderr]).toEqual([
    1,
    expect.stringContaining(
      `order ${lost} of account ${alice} is in the history, but does not exist`,
    ),
  ]);
});

test.each<[string, RegExp, (old: readonly bigint[]) => Promise<unknown>]>([
  [
    "an ended order is missing among the ended orders",
    /order \d+ of account a{12} is not in an index of orders, or in a wrong place: run inventory verify --repair/,
    () => redis.client.zpopmin(ended),
  ],
  [
    "all of them are missing",
    /order \d+ of account a{12} is not in an index of orders, or in a wrong place \(and 4 more\): run inventory verify --repair/,
    () => redis.client.del(ended),
  ],
  [
    "an ended order has another time there",
    /order \d+ of account a{12} is not in an index of orders, or in a wrong place: run inventory verify --repair/,
    ([id = 0n]) => redis.client.zadd(ended, "XX", 5, String(id).padStart(19, "0")),
  ],
  [
    "an order that does not exist is among them",
    /order 77 of account a{12} is in an index of orders, but missing: run inventory verify --repair/,
    () => redis.client.zadd(ended, 5_000_000_000_000, "0000000000000000077"),
  ],
  [
    "the account is missing among those with ended orders",
    /account a{12} is not in its place among the accounts with ended orders: run inventory verify --repair/,
    () => redis.client.del("inv:{stock}:ended-orders"),
  ],
  [
    "the account has a later time there",
    /account a{12} is not in its place among the accounts with ended orders: run inventory verify --repair/,
    () => redis.client.zadd("inv:{stock}:ended-orders", 5_000_000_000_000, alice),
  ],
  [
    "an account without ended orders is among those that have some",
    /account bbbbbbbbbbbb is not in its place among the accounts with ended orders: run inventory verify --repair/,
    () => redis.client.zadd("inv:{stock}:ended-orders", 5, "bbbbbbbbbbbb"),
  ],
])("verify reports that %s, and verify --repair mends it", async (_, problem, damage) => {
  const { kept, old } = await someOrders();
  await damage(old);
  const { code, stdout, stderr } = await inventory("verify");
  expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(problem)]);
  expect((await inventory("verify --repair")).code).toBe(0);
  await succeeding("verify");
  await removeAll();
  expect(await ids()).toEqual(kept);
});
