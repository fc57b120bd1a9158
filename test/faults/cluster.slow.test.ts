import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { singleServer } from "../../src/stores/redis/connection/settings.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey, someKey } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { placed } from "../support/stock.ts";
import { useRedis } from "../support/stores.ts";
import { until } from "./until.ts";

/**
 * A cluster of one node that owns every slot. It refuses a script whose declared keys are in several slots; the test
 * checks the keys that scripts use in addition. The test makes one call at a time, to know which call used which keys.
 */
const redis = useRedis("--cluster-enabled", "yes");
const own: { stores?: Stores; monitor?: Redis } = {};

/** The keys that a script call declares, and the keys that it used. */
interface ScriptCall {
  readonly declared: readonly string[];
  readonly touched: Set<string>;
}
const calls: ScriptCall[] = [];

beforeAll(async () => {
  await redis.client.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
  await until("the cluster is whole", async () =>
    String(await redis.client.call("CLUSTER", "INFO")).includes("cluster_state:ok"),
  );
  // No other client may send a command yet. ioredis would take its report for a reply if both arrive together.
  own.monitor = await redis.client.monitor();
  own.monitor.on("monitor", (_time: string, args: string[], source: string) => {
    const [command = "", ...rest] = args;
    if (/^eval/i.test(command)) {
      const count = Number(rest[1]);
      calls.push({ declared: rest.slice(2, 2 + count), touched: new Set() });
    } else if (source === "lua" && rest[0] !== undefined) {
      calls.at(-1)?.touched.add(rest[0]);
    }
  });
  own.stores = openRedisStores({ ...singleServer(redis.url), mode: "cluster" });
  await own.stores.ready(5_000);
});
afterAll(async () => {
  own.monitor?.disconnect();
  await own.stores?.close();
});

function stores(): Stores {
  if (!own.stores) {
    throw new Error("Use the stores only while a test runs.");
  }
  return own.stores;
}

/** Waits until the monitor has reported all script calls so far. @returns them, and forgets them */
async function takeCalls(): Promise<ScriptCall[]> {
  const mark = `mark:${Math.random()}`;
  await redis.client.eval("return redis.call('EXISTS', KEYS[1])", 1, mark);
  await until("the monitor reports the mark", () => calls.at(-1)?.touched.has(mark));
  // A script that Redis does not know yet is sent twice. The first call does not run it.
  return calls
    .splice(0)
    .slice(0, -1)
    .filter(({ touched }) => touched.size > 0);
}

/** Checks that each script uses only keys in the slot of its declared keys. */
async function expectOneSlotEach(least: number): Promise<void> {
  const taken = await takeCalls();
  expect(taken.length).toBeGreaterThanOrEqual(least);
  for (const { declared, touched } of taken) {
    const keys = new Set([...declared, ...touched]);
    const slots = await Promise.all(
      [...keys].map((key) => redis.client.call("CLUSTER", "KEYSLOT", key)),
    );
    expect(new Set(slots).size).toBe(1);
  }
}

test("admitting, refusing and banning a key uses one slot per script", async () => {
  const { accounts, admission } = stores();
  const limits = { perMinute: 3, perDay: 1_000 };
  const accountId = await addAccount(stores(), { plan: "enterprise", limits });
  const { keyId, keyHash } = await addKey(stores(), accountId);
  const verdicts: string[] = [];
  for (let sent = 0; sent < 3 + 60 + 2; sent++) {
    verdicts.push((await admission.admitKey(accountId, keyHash)).verdict);
  }
  expect(verdicts.filter((verdict) => verdict === "admitted")).toHaveLength(3);
  expect(verdicts.filter((verdict) => verdict === "limited")).toHaveLength(60);
  expect(verdicts.slice(-2)).toEqual(["banned", "banned"]);
  expect((await accounts.unbanKey(keyId))?.bannedUntil).toBeUndefined();
  expect((await admission.admitKey(accountId, keyHash)).verdict).toBe("limited");
  expect((await accounts.unbanKey(keyId))?.bannedUntil).toBeUndefined();
  expect((await admission.admitKey("bbbbbbbbbbbb", keyHash)).verdict).toBe("unknown");
  await expectOneSlotEach(66);
});

test("admitting an address uses one slot per script", async () => {
  const { admission } = stores();
  const limits = { perMinute: 1, perDay: 1_000 };
  for (const [address, verdict] of [
    ["192.0.2.1", "admitted"],
    ["192.0.2.1", "limited"],
    ["2001:db8:0:1::/64", "admitted"],
  ] as const) {
    expect((await admission.admitAddress(address, limits)).verdict).toBe(verdict);
  }
  await expectOneSlotEach(3);
});

test("changing accounts and keys uses one slot per script", async () => {
  const { accounts } = stores();
  const accountId = await addAccount(stores(), { plan: "free" }, "cccccccccccc");
  const { keyId } = await addKey(stores(), accountId);
  const replacement = someKey(accountId);
  expect(await accounts.rotateKey(keyId, replacement, 1_000)).toBeTypeOf("object");
  expect((await accounts.revokeKey(replacement.keyId))?.revokedAt).toBeGreaterThan(0);
  expect(await accounts.setPlan(accountId, { plan: "pro" })).toMatchObject({ accountId });
  expect(await accounts.listKeys(accountId)).toHaveLength(2);
  expect((await accounts.listAccounts(undefined, 10)).accounts).not.toEqual([]);
  await expectOneSlotEach(4);
});

test("changing stock and orders uses one slot per script", async () => {
  const { inventory, orders } = stores();
  const accountId = "dddddddddddd";
  const pet = { petId: 1n, quantity: 5, status: PetStatus.AVAILABLE };
  expect(await inventory.create(pet)).toBeGreaterThan(0n);
  expect(await inventory.put([pet, { ...pet, petId: 2n }])).toMatchObject({
    created: 1,
    updated: 1,
  });
  expect(await inventory.setQuantity(1n, 4)).toMatchObject({ item: { quantity: 4 } });
  expect(await inventory.setStatus(1n, PetStatus.SOLD)).toMatchObject({ status: PetStatus.SOLD });
  const idempotency = { key: "an order", fingerprint: "of-3" };
  const { orderId } = await placed(orders, accountId, 1n, 3, { idempotency });
  const again = await orders.place(accountId, 1n, 3, { idempotency });
  expect(again).toMatchObject({ order: { orderId }, replayed: true });
  expect(await orders.place(accountId, 1n, 3)).toMatchObject({ kind: "too_small", quantity: 1 });
  expect(await orders.advance(accountId, orderId, OrderStatus.APPROVED)).toMatchObject({
    status: OrderStatus.APPROVED,
  });
  expect(await orders.cancel(accountId, orderId)).toMatchObject({ status: OrderStatus.CANCELLED });
  expect((await orders.list(accountId, undefined, 10)).orders).toHaveLength(1);
  expect(await inventory.adjust(2n, 1, { idempotency })).toMatchObject({ kind: "changed" });
  expect(await inventory.setQuantities([{ petId: 2n, quantity: 5 }])).toMatchObject({
    kind: "changed",
  });
  expect((await inventory.list()).items).toMatchObject([
    { ...pet, quantity: 4, status: PetStatus.SOLD },
    { ...pet, petId: 2n },
  ]);
  expect((await inventory.changes({ petId: 1n, limit: 9 }))?.changes).toHaveLength(6);
  expect((await inventory.changesSince(0n, 100))?.changes).toHaveLength(9);
  expect(await inventory.remove(2n)).toMatchObject({ petId: 2n });
  await expectOneSlotEach(10);
});
