import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { leaseRestore } from "../../../src/backup/restore-lease.ts";
import { dayMs, hourMs, minuteMs } from "../../../src/common/durations.ts";
import { present } from "../../../src/common/present.ts";
import {
  accountKey,
  holdSweeperKey,
  keySamples,
  orderRemovalKey,
  revocationsKey,
} from "../../../src/stores/redis/keys.ts";
import { unknownOrigin } from "../../../src/stores/stock-change.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey, type TestKey } from "../../support/accounts.ts";
import { openRedisConnection, openRedisStores } from "../../support/redis-stores.ts";
import { someTime, useRedis } from "../../support/stores.ts";
import { until } from "../../system/harness/until.ts";

/**
 * How long each kind of Redis key lasts after the last change that the test makes: `forever`, or a time in ms. The numbers
 * are those of the docs, and of the rules that read the keys. They are written out, so that no change of a constant
 * goes unnoticed.
 */
const lifetimes: Readonly<Record<string, { readonly key: RegExp; readonly lasts: Lifetime }>> = {
  "the format": { key: /^inv:format$/, lasts: "forever" },
  "the running restore": { key: /^inv:restore$/, lasts: 15_000 },
  accounts: { key: /^inv:\{a\d+\}:(?:.{12})?$/, lasts: "forever" },
  "the index of accounts": { key: /^inv:\{accounts\}$/, lasts: "forever" },
  // A failover within 30 days can bring back a deleted account.
  "deleted accounts": { key: /^inv:\{accounts\}:deleted$/, lasts: 30 * dayMs },
  // A request counts for 24 hours, and up to a quarter of an hour longer. A key that expires sooner lifts the limit.
  "windows of an account": { key: /^inv:\{a\d+\}:[^:]*:windows$/, lasts: dayMs + hourMs / 2 },
  "windows of an address": { key: /^inv:\{address:\d+\}:\d+$/, lasts: dayMs + hourMs / 2 },
  // Refusals of a minute decide on a ban.
  "refused requests": { key: /^inv:\{a\d+\}:[^:]*:refusals:/, lasts: minuteMs + 1_000 },
  "requests of a day": { key: /^inv:\{a\d+\}:[^:]*:day:\d+$/, lasts: 32 * dayMs },
  "requests of an hour": { key: /^inv:\{a\d+\}:[^:]*:hour:\d+$/, lasts: 3 * hourMs },
  // Processes can still add requests of yesterday.
  "accounts by requests": { key: /^inv:\{a\d+\}:top-requests:\d+$/, lasts: 2 * dayMs },
  "accounts by refusals": { key: /^inv:\{a\d+\}:top-refused:\d+$/, lasts: 2 * dayMs },
  // The longest ban takes a day.
  bans: { key: /^inv:\{a\d+\}:bans$/, lasts: 2 * dayMs },
  items: { key: /^inv:\{stock\}:items$/, lasts: "forever" },
  "pet ids": { key: /^inv:\{stock\}:pets$/, lasts: "forever" },
  "names of pets": { key: /^inv:\{stock\}:names$/, lasts: "forever" },
  SKUs: { key: /^inv:\{stock\}:skus$/, lasts: "forever" },
  "changes of the catalogue": { key: /^inv:\{stock\}:catalog-changes$/, lasts: "forever" },
  "the newest change": { key: /^inv:\{stock\}:newest-change$/, lasts: "forever" },
  "the run of Redis": { key: /^inv:\{stock\}:run$/, lasts: "forever" },
  changes: { key: /^inv:\{stock\}:changes$/, lasts: "forever" },
  revocations: { key: /^inv:\{stock\}:revocations$/, lasts: "forever" },
  // A repeated request is applied once for 24 hours.
  outcomes: { key: /^inv:\{stock\}:outcome:/, lasts: dayMs },
  "the last order id": { key: /^inv:\{stock\}:last-order$/, lasts: "forever" },
  "orders of an account": { key: /^inv:\{stock\}:account-orders:/, lasts: "forever" },
  "all orders": { key: /^inv:\{stock\}:orders$/, lasts: "forever" },
  "ended orders of an account": { key: /^inv:\{stock\}:ended-orders:/, lasts: "forever" },
  "accounts with ended orders": { key: /^inv:\{stock\}:ended-orders$/, lasts: "forever" },
  "the end of the last removed order": { key: /^inv:\{stock\}:removed-orders$/, lasts: "forever" },
  "the pause between removals of orders": { key: /^inv:\{stock\}:order-removal$/, lasts: 50 },
  // Requests of the account that were admitted before its deletion may still come.
  "deletions of orders": { key: /^inv:\{stock\}:deleted-account:/, lasts: hourMs },
  holds: { key: /^inv:\{stock\}:holds$/, lasts: "forever" },
  "the order of holds": { key: /^inv:\{stock\}:hold-index$/, lasts: "forever" },
  // Another process takes over within the two seconds after which an expired hold has returned its units.
  "the sweeper of holds": { key: /^inv:\{stock\}:hold-sweeper$/, lasts: 1_000 },
  "the place of a follower": { key: /^inv:\{stock\}:place:/, lasts: "forever" },
  // Longer than a delivery, so that two processes do not deliver at the same time.
  "the lease of a follower": { key: /^inv:\{stock\}:place-lease:/, lasts: 30_000 },
  "the audit trail": { key: /^inv:\{audit\}:entries$/, lasts: "forever" },
};

type Lifetime = number | "forever";

const kinds = Object.entries(lifetimes);
const kindsOf = (key: string) =>
  kinds.filter((kind) => kind[1].key.test(key)).map(([name]) => name);

const account = "aaaaaaaaaaaa";
const doomed = "bbbbbbbbbbbb";
const petId = 4n;

describe("the lifetime in Redis", () => {
  const redis = useRedis();
  const own: { stores?: Stores; stored: Map<string, number> } = { stored: new Map() };

  beforeAll(async () => {
    const stores = openRedisStores(redis.url, { orders: { mostOpen: 1_000, keptMs: 0 } });
    own.stores = stores;
    await stores.ready(5_000);
    await createEveryKind(stores);
    await endOrder(stores);
    await readLifetimes();
    // These keys last a second, or less, so a busy machine can miss them.
    await until("a process sweeps", async () => {
      await stores.holds.put(account, "cart", { items: [{ petId, quantity: 1 }], ttlMs: 1 });
      await stores.holds.sweep("a sweeper");
      await readLifetimes();
      return (own.stored.get(holdSweeperKey) ?? -2) > 0;
    });
    await until("a process removes orders", async () => {
      await endOrder(stores);
      await stores.orders.removeEnded();
      await readLifetimes();
      return (own.stored.get(orderRemovalKey) ?? -2) > 0;
    });
  });
  afterAll(() => own.stores?.close());

  test("is stated for every kind of key that the service uses, once", () => {
    const ofSamples = keySamples.map(kindsOf);
    expect(ofSamples.filter((names) => names.length !== 1)).toEqual([]);
    expect(ofSamples.flat().toSorted()).toEqual(Object.keys(lifetimes).toSorted());
  });

  test("is stated for every key that the service has stored", () => {
    const unknown = [...own.stored.keys()].filter((key) => kindsOf(key).length !== 1);
    expect(unknown).toEqual([]);
  });

  test.each(kinds)("is as stated for %s", (_, { key, lasts }) => {
    const found = [...own.stored].filter(([name]) => key.test(name));
    expect(found).not.toEqual([]);
    for (const [, ms] of found) {
      if (lasts === "forever") {
        expect(ms).toBe(-1);
      } else {
        // The keys were made at most so long ago as the test allows a hook to take.
        expect(ms).toBeLessThanOrEqual(lasts);
        expect(ms).toBeGreaterThan(lasts - Math.min(10_000, lasts));
      }
    }
  });

  test("is that of at least 1,000 later ones for a revocation, and of not many more", async () => {
    const stores = present(own.stores, "the stores");
    const disabled = await addAccount(stores, { plan: "free" }, "cccccccccccc");
    for (let n = 0; n < 1_300; n++) await stores.accounts.update(disabled, { state: "disabled" });
    const kept = await redis.client.xlen(revocationsKey);
    expect(kept).toBeGreaterThanOrEqual(1_000);
    expect(kept).toBeLessThanOrEqual(1_200);
  });

  test("begins again with a later request, refusal, ban or deletion", async () => {
    const stores = present(own.stores, "the stores");
    const key = await addKey(stores, account);
    await use(stores, key);
    const names = [
      "windows of an address",
      "refused requests",
      "bans",
      "deleted accounts",
      "deletions of orders",
    ];
    const renewed = new Map<string, number>();
    for (const each of await redis.client.keys("*")) {
      const [name = ""] = kindsOf(each);
      // That of the key of another test gets no further refusal.
      const isOther = name === "refused requests" && !each.endsWith(key.keyHash);
      if (!names.includes(name) || isOther) continue;
      renewed.set(each, await redis.client.pttl(each));
      await redis.client.pexpire(each, 20_000);
    }
    expect(new Set([...renewed.keys()].flatMap(kindsOf))).toEqual(new Set(names));
    // A window is written as a whole when the next second begins.
    const second = Math.floor(Date.now() / 1_000);
    await until("the next second", () => Math.floor(Date.now() / 1_000) > second);
    await use(stores, key);
    for (const [name, ms] of renewed) {
      expect([name, await redis.client.pttl(name)]).toEqual([name, expect.closeTo(ms, -4)]);
    }
  });

  async function endOrder({ orders }: Stores): Promise<void> {
    const outcome = await orders.place(account, { petId, quantity: 1 });
    if (outcome.kind === "placed") await orders.cancel(account, outcome.order.orderId);
  }

  /** Does what creates each kind of key except that of the sweeper. */
  async function createEveryKind(stores: Stores): Promise<void> {
    const { accounts, audit, catalog, inventory, orders } = stores;
    await catalog.put([
      { petId, quantity: 9, status: PetStatus.AVAILABLE, name: "Rex", sku: "DOG-1" },
    ]);
    const idempotency = { key: "once", fingerprint: "f".repeat(43) };
    const origin = { ...unknownOrigin, accountId: account };
    await inventory.change({ petId, delta: -1 }, { origin, idempotency });

    await addAccount(
      stores,
      { plan: "enterprise", limits: { perMinute: 1, perDay: 9_999 } },
      account,
    );
    await use(stores, await addKey(stores, account));
    await addAccount(stores, { plan: "free" }, doomed);
    await accounts.revokeKey((await addKey(stores, account)).keyId);
    await accounts.remove(doomed);
    await orders.place(account, { petId, quantity: 1 });
    await audit.append("{}");
    await stores.places.hold("relay:erp", "a process", { from: "", to: "1" });
    const connection = openRedisConnection(redis.url);
    await leaseRestore(connection);
    connection.close();
  }

  /** Makes requests until one is refused, and repeats a ban and a deletion. */
  async function use(stores: Stores, { keyHash, keyId }: TestKey): Promise<void> {
    const { accounts, admission, orders, usage } = stores;
    for (let n = 0; n < 2; n++) await admission.admitKey(account, keyHash);
    await admission.countAddress("192.0.2.1", { perMinute: 9, perDay: 9 });
    const now = Date.now();
    const minute = Math.floor(now / minuteMs);
    const counts = [{ accountId: account, keyId, minute, admitted: 1, limited: 1, banned: 0 }];
    await usage.add({ counts, bans: [{ keyId, since: now, until: now + minuteMs }] });
    await orders.deleteAll(doomed);
    await accounts.unlist(doomed);
  }

  async function readLifetimes(): Promise<void> {
    const keys = await redis.client.keys("*");
    const times = await Promise.all(keys.map((key) => redis.client.pttl(key)));
    for (const [at, key] of keys.entries()) own.stored.set(key, times[at] ?? -2);
  }
});

describe("after a long time in Redis", () => {
  const redis = useRedis();
  const own: { stores?: Stores; now: number } = { now: someTime };
  const limits = { perMinute: 9, perDay: 2 };

  beforeEach(async () => {
    await redis.client.flushdb();
    own.now = Math.floor(someTime / dayMs) * dayMs;
    own.stores = openRedisStores(redis.url, { now: () => own.now });
    await own.stores.ready(5_000);
    await own.stores.catalog.put([{ petId, quantity: 9, status: PetStatus.AVAILABLE }]);
    await addAccount(own.stores, { plan: "enterprise", limits }, account);
  });
  afterEach(() => own.stores?.close());

  /** Lets time pass, for the service and for the keys in Redis. */
  async function pass(ms: number): Promise<void> {
    own.now += ms;
    for (const key of await redis.client.keys("*")) {
      const left = await redis.client.pttl(key);
      if (left >= 0) await redis.client.pexpire(key, left - ms);
    }
  }

  test("the account with the most requests of the day is still known in the evening", async () => {
    const { usage } = present(own.stores, "the stores");
    const minute = Math.floor(own.now / minuteMs);
    const counts = [{ accountId: account, keyId: "", minute, admitted: 1, limited: 1, banned: 0 }];
    await usage.add({ counts, bans: [] });
    await pass(23 * hourMs);
    expect(await usage.top("requests", 9)).toEqual([account]);
    expect(await usage.top("refused", 9)).toEqual([account]);
    await pass(31 * dayMs - 23 * hourMs);
    const { days } = await usage.read(account, own.now, 32);
    expect([...days.values()].flat().map(({ requests }) => requests)).toEqual([
      { admitted: 1, limited: 1, banned: 0 },
    ]);
  });

  test("an account that a failover has brought back 29 days after its deletion is deleted again", async () => {
    const stores = present(own.stores, "the stores");
    const { keyId } = await addKey(stores, account);
    const fields = await redis.client.hgetall(accountKey(account));
    await stores.accounts.remove(account);
    await stores.accounts.unlist(account);
    await pass(29 * dayMs);
    await redis.client.hset(accountKey(account), fields);
    const minute = Math.floor(own.now / minuteMs);
    const counts = [{ accountId: account, keyId, minute, admitted: 1, limited: 0, banned: 0 }];
    await stores.usage.add({ counts, bans: [] });
    const isGone = async () => (await stores.accounts.getAccount(account)) === undefined;
    await until("the account is deleted again", isGone);
    expect((await stores.accounts.listAccounts(undefined, 9)).accounts).toEqual([]);
  });
});
