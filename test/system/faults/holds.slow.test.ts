import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { ChangeReason, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { newAccountId } from "../../../src/access/api-key.ts";
import { sweeperTtlMs } from "../../../src/stores/hold-store.ts";
import { holdSweeperKey } from "../../../src/stores/redis/keys.ts";
import { succeedHere } from "../../cli/command-line.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { keepAlive, type Reply, send } from "./client.ts";
import { useStores } from "./stores.ts";

const redis = useRedis("--appendonly", "yes", "--appendfsync", "always");
const servers = useServers();
const agent = keepAlive();
const base = useStores(redis);
const stores = () => base.stores;
const own = { accountId: "", key: "" };
const petIds = [1n, 2n, 3n] as const;
const running = new Set<ServerProcess>();

afterAll(() => agent.destroy());
// No process of another test may sweep.
afterEach(async () => void (await Promise.all([...running].map(killed))));
beforeEach(async () => {
  await redis.client.flushall();
  await redis.client.set("inv:format", 1);
  ({ accountId: own.accountId, key: own.key } = await newAccount());
});

async function newAccount(): Promise<{ accountId: string; key: string }> {
  const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
  const accountId = await addAccount(stores(), { plan: "enterprise", limits }, newAccountId());
  return { accountId, key: (await addKey(stores(), accountId)).secret };
}

async function stock(quantity: number): Promise<void> {
  await stores().catalog.put(
    petIds.map((petId) => ({ petId, quantity, status: PetStatus.AVAILABLE })),
  );
}

async function start(): Promise<ServerProcess> {
  const server = await servers.start({ REDIS_URL: redis.url });
  running.add(server);
  return server;
}

async function killed(server: ServerProcess): Promise<void> {
  running.delete(server);
  server.kill("SIGKILL");
  await server.exited();
}

/** Holds units of pet 1. */
function put(url: string, holdId: string, quantity: number, ttlSeconds: number): Promise<Reply> {
  return send(`${url}/v1/store/holds/${holdId}`, {
    method: "PUT",
    key: own.key,
    agent,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ items: [{ petId: 1, quantity }], ttlSeconds }),
  });
}

async function quantity(): Promise<number> {
  const items = await Promise.all(petIds.map((petId) => stores().inventory.get(petId)));
  return items.reduce((sum, item) => sum + (item?.quantity ?? 0), 0);
}

/** The units of all orders, none of which is cancelled. */
async function ordered(): Promise<number> {
  let sum = 0;
  for (let before: bigint | undefined; ; ) {
    const { orders, next } = await stores().orders.list({ before, limit: 1_000 });
    for (const order of orders) sum += order.quantity;
    if (next === undefined) return sum;
    before = next;
  }
}

/** Reads all changes by holds that have ended without orders: how many there are of each hold. */
async function endings(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let since = 0n;
  for (;;) {
    const found = await stores().inventory.changesSince(since, 1_000);
    for (const { reason, accountId, reference, version } of found?.changes ?? []) {
      since = version;
      if (reason !== ChangeReason.HOLD_ENDED) continue;
      const name = `${accountId}/${reference}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    if (!found || found.changes.length >= found.total) return counts;
  }
}

/** Makes many calls, a portion at the same time. */
async function inPortions<T, Result>(
  all: readonly T[],
  call: (each: T, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < all.length; from += 100) {
    const some = all.slice(from, from + 100).map((each, at) => call(each, from + at));
    results.push(...(await Promise.all(some)));
  }
  return results;
}

/** Checks that no unit was lost or made, and that all data agrees. */
async function expectWhole(units: number): Promise<void> {
  await succeedHere(["verify"], { redisUrl: redis.url });
  const { units: held } = await stores().holds.totals();
  expect((await quantity()) + held + (await ordered())).toBe(units);
}

test("units are for sale again 2 s after the end of a hold, although the process that swept was killed", async () => {
  await stock(10);
  const [first, second] = await Promise.all([start(), start()]);
  const { status } = await put(first.url, "cart", 10, 1);
  expect([status, await quantity()]).toEqual([200, 20]);
  await killed(first);
  await redis.client.set(holdSweeperKey, "killed", "PX", sweeperTtlMs);
  const { expiresAt = 0 } = (await stores().holds.get(own.accountId, "cart")) ?? {};
  await until("the hold is due", () => Date.now() > expiresAt);
  await until("the units are back", async () => (await quantity()) === 30, 2_000);
  expect(second.exit).toBeUndefined();
  await expectWhole(30);
}, 60_000);

test("units are for sale again 2 s after the start of a process, if all were killed before the end of the hold", async () => {
  await stock(10);
  const both = await Promise.all([start(), start()]);
  const [{ url }] = both;
  const { status } = await put(url, "cart", 10, 1);
  await Promise.all(both.map(killed));
  expect([status, await quantity()]).toEqual([200, 20]);
  const { expiresAt = 0 } = (await stores().holds.get(own.accountId, "cart")) ?? {};
  await until("the hold is due", () => Date.now() > expiresAt + 200);
  expect(await quantity()).toBe(20);
  await start();
  await until("the units are back", async () => (await quantity()) === 30, 2_000);
  await expectWhole(30);
}, 60_000);

test("no unit is lost and each hold ends once when 10,000 are confirmed around their end", async () => {
  const accounts = await Promise.all(Array.from({ length: 10 }, newAccount));
  const names = accounts.flatMap(({ accountId }) =>
    Array.from({ length: 1_000 }, (_, at) => ({ accountId, holdId: `cart-${at}` })),
  );
  await stock(names.length);
  const clock = { now: Date.now() };
  const open = () => openRedisStores(redis.url, { now: () => clock.now });
  const two = [open(), open()] as const;
  await Promise.all(two.map((each) => each.ready(5_000)));
  const end = clock.now + 60_000;
  await inPortions(names, ({ accountId, holdId }, at) => {
    const items = [{ petId: petIds[at % 3] ?? 1n, quantity: 1 }];
    return two[at % 2 === 0 ? 0 : 1].holds.put(accountId, holdId, {
      items,
      ttlMs: end - clock.now,
    });
  });
  let isOver = false;
  const sweeping = (async () => {
    while (!isOver) await two[1].holds.sweep("a process");
  })();
  const outcomes = await inPortions(names, async ({ accountId, holdId }, at) => {
    const { holds } = two[at % 2 === 0 ? 0 : 1];
    // Half of them are confirmed before the end.
    clock.now = end + at - names.length / 2;
    return (await holds.confirm(accountId, holdId)).kind;
  });
  isOver = true;
  await sweeping;
  const { active, confirmed, released, expired } = await stores().holds.totals();
  const held = outcomes.filter((kind) => kind === "held").length;
  expect([active, released, confirmed, expired]).toEqual([0, 0, held, names.length - held]);
  // Some of each.
  expect(Math.min(held, expired)).toBeGreaterThan(100);
  const ended = await endings();
  expect([ended.size, Math.max(...ended.values())]).toEqual([expired, 1]);
  await expectWhole(3 * names.length);
  await Promise.all(two.map((each) => each.close()));
}, 60_000);
