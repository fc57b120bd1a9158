import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { accountKey } from "../../src/stores/redis/keys.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { useCommandData } from "../cli/command-data.ts";
import { failed, runHere } from "../cli/command-line.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { placed } from "../support/stock.ts";
import { useRedis } from "../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const own = useCommandData(redis);
const alice = "aaaaaaaaaaaa";
const items = "inv:{stock}:items";
const pets = "inv:{stock}:pets";
const orders = `inv:{stock}:account-orders:${alice}`;
const endedOrders = `inv:{stock}:ended-orders:${alice}`;

beforeEach(async () => {
  const { stores } = own;
  await addAccount(stores);
  await addKey(stores, alice);
  await stores.catalog.put(
    [1n, 2n, 3n].map((petId) => ({ petId, quantity: 10, status: PetStatus.AVAILABLE })),
  );
  await stores.inventory.change({ petId: 2n, quantity: 7 });
  await placed(stores.orders, alice, 1n, 4);
  const { orderId } = await placed(stores.orders, alice, 1n, 1);
  await stores.orders.cancel(alice, orderId);
  await stores.catalog.remove(3n);
});

const inventory = (...args: string[]) => runHere(args, { redisUrl: redis.url });

test("prints the numbers of records: exit code 0", async () => {
  const { code, stdout, stderr } = await inventory("verify");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(
    /^verified 2 items, 1 account with 1 key, 2 orders and 8 changes, as of version \d{16}\n$/,
  );
});

test("accepts holds in every state, due ones too, and their orders", async () => {
  const under = await withHolds();
  await under.put(alice, "released", { items: [{ petId: 2n, quantity: 1 }], ttlMs: 3_600_000 });
  await under.release(alice, "released");
  await under.put(alice, "due", { items: [{ petId: 1n, quantity: 1 }], ttlMs: 1 });
  const { code, stdout, stderr } = await inventory("verify");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(
    /^verified 2 items, 1 account with 1 key, 3 orders, 4 holds and 13 changes/,
  );
});

test.each([
  { plan: "pro" } as const,
  { plan: "enterprise", limits: { perMinute: 7, perDay: 8 } } as const,
])("accepts strict accounts, disabled or not: %j", async (plan) => {
  const { stores } = own;
  for (const accountId of ["bbbbbbbbbbbb", "cccccccccccc"]) {
    await addAccount(stores, plan, accountId);
    await stores.accounts.update(accountId, { policy: "strict" });
  }
  await stores.accounts.update("cccccccccccc", { state: "disabled" });
  const { code, stdout } = await inventory("verify");
  expect([code, stdout]).toEqual([0, expect.stringContaining("3 accounts with 1 key")]);
});

test("accepts disabled accounts, keys with networks, and the history of deleted accounts", async () => {
  const { stores } = own;
  await addAccount(stores, { plan: "pro" }, "bbbbbbbbbbbb");
  await addKey(stores, "bbbbbbbbbbbb", { networks: ["4", `411${"0".repeat(30)}`, "6", "60"] });
  await stores.accounts.update("bbbbbbbbbbbb", { state: "disabled" });
  await stores.accounts.remove(alice);
  await stores.orders.deleteAll(alice);
  await stores.accounts.unlist(alice);
  const { code, stdout, stderr } = await inventory("verify");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^verified 2 items, 1 account with 1 key, 0 orders and 8 changes,/);
});

async function versionOf(petId: string): Promise<string> {
  return (await redis.client.hget(items, petId))?.split(",")[2] ?? "";
}

async function change(pattern: RegExp, replacement: string): Promise<void> {
  const entries = await redis.client.xrange("inv:{stock}:changes", "-", "+");
  await redis.client.del("inv:{stock}:changes");
  for (const [id, fields] of entries) {
    const changed = fields.map((field) => field.replace(pattern, replacement));
    await redis.client.xadd("inv:{stock}:changes", id, ...changed);
  }
}

const holds = "inv:{stock}:holds";
const holdIndex = "inv:{stock}:hold-index";

/** Holds 2 of pet 2 in `cart`, and has confirmed a hold of 1. */
async function withHolds(): Promise<Stores["holds"]> {
  const { stores } = own;
  await stores.holds.put(alice, "cart", { items: [{ petId: 2n, quantity: 2 }], ttlMs: 3_600_000 });
  await stores.holds.put(alice, "sold", { items: [{ petId: 2n, quantity: 1 }], ttlMs: 3_600_000 });
  await stores.holds.confirm(alice, "sold");
  return stores.holds;
}

/** Changes the record of a hold, and its entries in the index. */
async function editHold(pattern: RegExp, replacement: string): Promise<void> {
  const record = (await redis.client.hget(holds, `${alice}/cart`)) ?? "";
  await redis.client.hset(holds, `${alice}/cart`, record.replace(pattern, replacement));
}

const holdDamages: readonly Damage[] = [
  [
    "a pet twice in a hold",
    /^hold aaaaaaaaaaaa\/cart cannot be read$/,
    () => editHold(/$/, " 2:1"),
  ],
  [
    "more units than the largest quantity, together with the stock",
    /^pet 2 has the quantity 4 and 2147483647 held units, which are too many$/,
    () => editHold(/2:2$/, "2:2147483647"),
  ],
];

type Damage = readonly [name: string, expected: RegExp, damage: () => Promise<unknown>];

const noNetworks = /^key aaaaaaaaaaaa\w{8} has no valid networks$/;

const damages: readonly Damage[] = [
  [
    "a version that is not in the history",
    /^pet 9 has the version \d{16}, which is not in the history$/,
    async () => {
      await redis.client.hset(items, "9", `8,1,${await versionOf("2")}`);
      await redis.client.zadd(pets, 0, "9".padStart(19, "0"));
    },
  ],
  ["an unreadable item", /^pet 2 cannot be read$/, () => redis.client.hset(items, "2", "many")],
  [
    "an item whose id no pet can have",
    /^pet 9223372036854775808 of the stock is not a pet id$/,
    async () => redis.client.hset(items, "9223372036854775808", `7,1,${await versionOf("2")}`),
  ],
  [
    "an entry that cannot be read",
    /^entry \d{16}-\d of the history cannot be read$/,
    () => change(/;0 2 10 7/, ";0 2 ten 7"),
  ],
  [
    "an order that was cancelled, but has another status",
    /^order \d{16} of account aaaaaaaaaaaa was cancelled, but has another status$/,
    async () => {
      await editOrder(1, /,4,(\d+),\d+$/, ",1,$1");
      await redis.client.del(endedOrders);
    },
  ],
  [
    "an account that is only in the index",
    /^account bbbbbbbbbbbb is in the index, but does not exist: run inventory verify --repair$/,
    () => redis.client.zadd("inv:{accounts}", 5, "bbbbbbbbbbbb"),
  ],
  [
    "scopes that cannot be",
    /^key aaaaaaaaaaaa\w{8} has the scopes 128, which cannot be$/,
    () => setScopes(128),
  ],
  ["a restricted key without networks", noNetworks, () => setScopes(1039)],
  ["networks of a key that is not restricted", noNetworks, () => addNetworks("411")],
  [
    "networks that cannot be read",
    noNetworks,
    async () => {
      await setScopes(1039);
      await addNetworks("411 192.0.2.1");
    },
  ],
];

async function editKey(pattern: RegExp, replacement: string): Promise<void> {
  const fields = await redis.client.hgetall(accountKey(alice));
  const [hash = "", record = ""] =
    Object.entries(fields).find(([name]) => name.length === 43) ?? [];
  await redis.client.hset(accountKey(alice), hash, record.replace(pattern, replacement));
}

const setScopes = (scopes: number) => editKey(/^(\S+) \d+/, `$1 ${scopes}`);

async function addNetworks(networks: string): Promise<void> {
  const names = await redis.client.hkeys(accountKey(alice));
  const [keyId = ""] = names.flatMap((name) => (name.startsWith("i:") ? [name.slice(2)] : []));
  await redis.client.hset(accountKey(alice), `a:${keyId}`, networks);
}

/** @returns the id of the order, as it is stored */
async function editOrder(rank: number, pattern: RegExp, replacement: string): Promise<string> {
  const [order = ""] = await redis.client.zrange(orders, rank, `${rank}`);
  await redis.client.zrem(orders, order);
  await redis.client.zadd(orders, 0, order.replace(pattern, replacement));
  return order.slice(0, 19);
}

describe("reports on one line, with exit code 1, of holds:", () => {
  test.each(holdDamages)("%s", async (_, expected, damage) => {
    await withHolds();
    expect((await inventory("verify")).stderr).toBe("");
    await damage();
    const { code, stdout, stderr } = await inventory("verify");
    expect([code, stdout]).toEqual([1, ""]);
    const lines = stderr.trimEnd().split("\n");
    expect(lines.filter((line) => expected.test(line))).toHaveLength(1);
    if (!expected.source.includes("inventory verify --repair")) return;
    expect((await inventory("verify --repair")).code).toBe(0);
    expect((await inventory("verify")).stderr).toBe("");
  });
});

describe("reports on one line, with exit code 1:", () => {
  test.each(damages)("%s", async (_, expected, damage) => {
    await damage();
    const { code, stdout, stderr } = await inventory("verify");
    expect([code, stdout]).toEqual([1, ""]);
    const lines = stderr.trimEnd().split("\n");
    expect(lines.at(-1)).toMatch(/^error: found \d+ disagreements? among/);
    expect(lines.filter((line) => expected.test(line))).toHaveLength(1);
  });

  test("a key of a wrong type, and checks nothing else", async () => {
    await redis.client.del("inv:{stock}:pets");
    await redis.client.set("inv:{stock}:pets", "none");
    const { code, stderr } = await inventory("verify");
    expect([code, stderr]).toEqual([
      1,
      "error: inv:{stock}:pets is of the type string, but should be of zset: nothing else can be checked\n",
    ]);
  });

  test("with --output json, each as a JSON document", async () => {
    await redis.client.hset(items, "2", "many");
    const { stderr } = await inventory("verify --output=json");
    const [first = "", last = ""] = stderr.trimEnd().split("\n");
    expect(JSON.parse(first)).toEqual({ code: "data_loss", message: "pet 2 cannot be read" });
    expect(JSON.parse(last)).toMatchObject({ code: "data_loss" });
  });
});

test("a trimmed history is complete, until entries are missing that were not trimmed", async () => {
  const stores = openRedisStores(redis.url, { history: { length: 10, ageMs: 1e9 } });
  await stores.ready(5_000);
  for (let quantity = 1; quantity < 300; quantity += 1) {
    await stores.inventory.change({ petId: 2n, quantity });
  }
  await stores.close();
  expect(await redis.client.xlen("inv:{stock}:changes")).toBeLessThan(200);
  expect((await inventory("verify")).stderr).toBe("");
  await redis.client.xtrim("inv:{stock}:changes", "MAXLEN", 5);
  expect((await inventory("verify")).stderr).toMatch(/^the history lacks its oldest entries: /);
});

/** Starts and stops a process, as far as its stores. */
async function startOnce(): Promise<void> {
  const stores = openRedisStores(redis.url);
  await stores.ready(5_000);
  await stores.close();
}

test("a history that is lost stays lost after changes and the next start of a process", async () => {
  await startOnce();
  await redis.client.del("inv:{stock}:changes");
  await own.stores.inventory.change({ petId: 2n, quantity: 5 });
  await startOnce();
  expect((await inventory("verify")).stderr).toMatch(
    /^the history lacks its oldest entries: it begins after change 8, but was trimmed only up to change 0\n/,
  );
});

describe("a backup has all data, and needs no repair, although the index", () => {
  const pet = (petId: string) => petId.padStart(19, "0");
  test.each([
    ["lacks a pet", () => redis.client.zrem(pets, pet("2"))],
    [
      "has another pet instead of one",
      async () => {
        await redis.client.zrem(pets, pet("2"));
        await redis.client.zadd(pets, 0, pet("8"));
      },
    ],
    ["has a pet in a wrong place", () => redis.client.zadd(pets, 1, pet("1"))],
    ["has a pet that does not exist", () => redis.client.zadd(pets, 0, pet("8"))],
    ["lacks the account", () => redis.client.zrem("inv:{accounts}", alice)],
    ["lacks the holds", () => redis.client.del(holdIndex)],
    ["lacks the orders", () => redis.client.del("inv:{stock}:orders", endedOrders)],
  ])("%s", async (_, damage) => {
    await withHolds();
    const path = join(own.directory, "whole.gz");
    await inventory("backup", path);
    const before = await inventory("verify", path);
    expect(before.stdout).toMatch(
      /^verified 2 items, 1 account with 1 key, 3 orders, 2 holds and /,
    );
    await damage();
    const saved = await inventory("backup", path);
    expect([saved.code, saved.stderr]).toEqual([0, ""]);
    expect(await inventory("verify", path)).toEqual(before);
    expect((await inventory("verify")).code).toBe(1);
    expect((await inventory("verify --repair")).code).toBe(0);
    expect((await inventory("verify")).stderr).toBe("");
  });
});

describe("a backup is refused, unless it is forced, if", () => {
  const noOldest = /the history lacks its oldest entries/;
  const lastChange = async () => {
    const [[id] = [""]] = await redis.client.xrevrange("inv:{stock}:changes", "+", "-", "COUNT", 1);
    return id;
  };
  test.each([
    [
      "the audit trail lacks an entry",
      /the audit trail lacks 1 of its entries/,
      () => redis.client.xdel("inv:{audit}:entries", "2-0"),
    ],
    [
      "the audit trail lacks its newest entry",
      /the audit trail lacks 1 of its entries/,
      () => redis.client.xdel("inv:{audit}:entries", "3-0"),
    ],
    [
      "the history lacks its oldest entries",
      noOldest,
      () => redis.client.xtrim("inv:{stock}:changes", "MAXLEN", 5),
    ],
    ["the history is lost", noOldest, () => redis.client.del("inv:{stock}:changes")],
    [
      "the history lacks its newest entry",
      /the history lacks its newest entries: it ends with \d{16}-7, but the stock has \d{16}-8/,
      async () => redis.client.xdel("inv:{stock}:changes", await lastChange()),
    ],
  ])("%s", async (_, expected, damage) => {
    for (let entry = 1; entry <= 3; entry += 1) await own.stores.audit.append("{}");
    await damage();
    const path = join(own.directory, "lacking.gz");
    await writeFile(path, "the backup of yesterday");
    const { code, stderr } = await inventory("backup", path);
    const [problem = "", last, ...more] = stderr.trimEnd().split("\n");
    expect([code, last, more]).toEqual([1, expect.stringMatching(/^error: nothing was saved/), []]);
    expect(problem).toMatch(expected);
    expect(await readFile(path, "utf8")).toBe("the backup of yesterday");
    const forced = await inventory("backup", path, "--force");
    expect([forced.code, forced.stderr.split("\n")[0]]).toEqual([0, problem]);
  });
});

test("a backup of damaged data has the same disagreements", async () => {
  await redis.client.hset(items, "2", "8,1,1");
  const path = join(own.directory, "damaged.gz");
  expect((await inventory("backup", path)).code).toBe(0);
  const [live, saved] = await Promise.all([inventory("verify"), inventory("verify", path)]);
  expect(saved).toEqual(live);
  expect(live.stderr).toContain("pet 2 differs from its last change");
});

test("a file that does not exist is an error: exit code 1", async () => {
  expect(await inventory("verify /nowhere/backup.gz")).toEqual(
    failed(1, "error: /nowhere/backup.gz: no such file or directory\n"),
  );
});
