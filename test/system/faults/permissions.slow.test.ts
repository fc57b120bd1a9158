import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../../gen/store/v1/store_pb.ts";
import { minRefusalsBeforeBan } from "../../../src/access/bans.ts";
import { deleteAll } from "../../../src/services/admin/account-functions.ts";
import { aclLine } from "../../../src/stores/redis/acl.ts";
import { neededCommands } from "../../../src/stores/redis/connection/permissions.ts";
import { type RedisSettings, singleServer } from "../../../src/stores/redis/connection/settings.ts";
import { luaFiles } from "../../../src/stores/redis/lua-parts.ts";
import { readCommands } from "../../../src/stores/redis/scripts.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey, someKey, type TestKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

const redis = useRedis("--appendonly", "no");
const servers = useServers();
const account = "aaaaaaaaaaaa";
const other = "bbbbbbbbbbbb";
const opened: Stores[] = [];

/** Gives the user exactly the rules of `inventory redis-acl`, and then more rules. */
async function setUser(...more: readonly string[]): Promise<void> {
  const [, ...rules] = aclLine("service", "secret").split(" ");
  await redis.client.call("ACL", "SETUSER", ...rules, ...more);
}

const url = () => redis.url.replace("redis://", "redis://service:secret@");
const settings = (): RedisSettings => singleServer(url());

function open(): Stores {
  const stores = openRedisStores(url());
  opened.push(stores);
  return stores;
}

/** Waits until stores that cannot be used say why. A process that stops can need more than one attempt. */
async function expectRefusal(stores: Stores, why: RegExp): Promise<void> {
  const cause = () => stores.ready(200).catch(({ cause }: Error) => String(cause));
  await expect.poll(cause).toMatch(why);
}

/** All data of the service, to compare. */
async function allData(): Promise<ReadonlyMap<string, string>> {
  const keys = (await redis.client.keys("inv:*")).sort();
  const values = await Promise.all(keys.map((key) => redis.client.dumpBuffer(key)));
  return new Map(keys.map((key, at) => [key, values[at]?.toString("base64") ?? ""]));
}

beforeEach(async () => {
  await redis.client.flushall();
  await setUser();
});
afterEach(async () => {
  await setUser();
  await Promise.all(opened.splice(0).map((stores) => stores.close()));
});

/** The commands that one server without a database number needs. */
const commands = neededCommands(singleServer("redis://127.0.0.1"));

describe("the commands", () => {
  test("of the scripts have literal names, so that none is missing in the list", () => {
    expect(luaFiles.size).toBeGreaterThan(10);
    for (const [file, lua] of luaFiles) {
      const calls = lua.match(/\bredis\.p?call\((?!\s*'[A-Z]+').{0,24}/g) ?? [];
      // Callers of read_entries name the command.
      expect([file, calls]).toEqual([
        file,
        file === "history/history.lua" ? ["redis.call(command, changes_key, fr"] : [],
      ]);
    }
  });

  test("that change nothing are those that Redis says", async () => {
    const infos = (await redis.client.call("COMMAND", "INFO", ...commands)) as [
      string,
      number,
      string[],
    ][];
    const known = infos.filter((info) => info !== null);
    const writing = known.filter(([, , flags]) => flags.includes("write")).map(([name]) => name);
    expect(writing).toContain("hset");
    expect(writing.filter((name) => readCommands.includes(name))).toEqual([]);
  });
});

describe("a user that lacks a command", () => {
  test.each(commands)("is refused at the start, and nothing is changed: %s", async (command) => {
    const stores = open();
    await stores.ready(5_000);
    await addAccount(stores);
    const before = await allData();
    await setUser(`-${command}`);
    const later = open();
    await expectRefusal(
      later,
      new RegExp(`REDIS_USERNAME: .*NOPERM.*\\b${command.replace("|", ".")}\\b.*redis-acl`),
    );
    await expect(later.ping()).rejects.toThrow("not available");
    expect(await allData()).toEqual(before);
  });
});

test.each([
  ["~inv:{stock}*", /lacks ~inv:format ~inv:restore/],
  ["%R~inv:*", /lacks ~inv:\*/],
  ["~other:*", /lacks ~inv:\*/],
])("a user that may use only the keys %s is refused at the start", async (pattern, message) => {
  await setUser("resetkeys", pattern);
  await expectRefusal(open(), message);
});

test("a server that runs is not ready while its user lacks a command, and says which", async () => {
  const server = await servers.start({ REDIS_URL: url() });
  const status = async () => (await fetch(`${server.url}/readyz`)).status;
  expect(await status()).toBe(200);
  await setUser("-zadd");
  await until("the server is not ready", async () => (await status()) === 503);
  await server.printed("NOPERM the user lacks +zadd");
  await setUser();
  await until("the server is ready", async () => (await status()) === 200);
});

/** Keys and an order of the data that changes begin with. */
interface Filled {
  readonly orderId: bigint;
  readonly key: TestKey;
  /** A key of another account, which the next refused request bans. */
  readonly impatient: TestKey;
  readonly banned: TestKey;
}

const hold = { items: [{ petId: 1n, quantity: 1 }], ttlMs: 900_000 };

/** Replaces all data, so that each change is made in the same data. */
async function fill(stores: Stores): Promise<Filled> {
  await redis.client.flushall();
  await redis.client.set("inv:format", 1);
  await addAccount(stores);
  const key = await addKey(stores, account);
  await stores.catalog.put([{ petId: 1n, quantity: 50, status: PetStatus.AVAILABLE }]);
  const placed = await stores.orders.place(account, { petId: 1n, quantity: 1 });
  if (placed.kind !== "placed") throw new Error(placed.kind);
  await stores.holds.put(account, "cart", hold);
  await addAccount(stores, { plan: "enterprise", limits: { perMinute: 1, perDay: 1 } }, other);
  const impatient = await addKey(stores, other);
  const banned = await addKey(stores, other);
  await spend(impatient, 1 + minRefusalsBeforeBan);
  await spend(banned, minRefusalsBeforeBan + 1);
  return { orderId: placed.order.orderId, key, impatient, banned };

  async function spend({ keyHash }: TestKey, requests: number): Promise<void> {
    const admit = () => stores.admission.admitKey(other, keyHash);
    await Promise.all(Array.from({ length: requests }, admit));
  }
}

const changes: Readonly<Record<string, (stores: Stores, filled: Filled) => Promise<unknown>>> = {
  "setting a quantity": ({ inventory }) => inventory.setQuantity(1n, 5),
  "creating an item": ({ catalog }) =>
    catalog.create({ petId: 2n, quantity: 5, status: PetStatus.AVAILABLE }),
  "a count": ({ inventory }) => inventory.count([{ petId: 1n, counted: 5 }]),
  "a batch with new items": ({ catalog }) =>
    catalog.put([
      { petId: 1n, quantity: 7, status: PetStatus.SOLD },
      { petId: 3n, quantity: 7, status: PetStatus.SOLD },
    ]),
  "removing an item": ({ catalog }) => catalog.remove(1n),
  "placing an order": ({ orders }) => orders.place(account, { petId: 1n, quantity: 1 }),
  "cancelling an order": ({ orders }, { orderId }) => orders.cancel(account, orderId),
  "advancing an order": ({ orders }, { orderId }) =>
    orders.advance(account, orderId, OrderStatus.APPROVED),
  "putting a hold": ({ holds }) => holds.put(account, "other", hold),
  "confirming a hold": ({ holds }) => holds.confirm(account, "cart"),
  "releasing a hold": ({ holds }) => holds.release(account, "cart"),
  "creating a key": (stores) => addKey(stores, account),
  "rotating a key": ({ accounts }, { key }) => {
    const { keyId: next, keyHash } = someKey(account);
    return accounts.rotateKey(key.keyId, { keyId: next, keyHash }, 1_000);
  },
  "revoking a key": ({ accounts }, { key }) => accounts.revokeKey(key.keyId),
  "disabling an account": ({ accounts }) => accounts.setState(account, "disabled"),
  "admitting a request": ({ admission }, { key }) => admission.admitKey(account, key.keyHash),
  "counting a batch": ({ admission }, { key }) =>
    admission.charge({ accountId: account, keyHash: key.keyHash, countedAt: Date.now() }, 2),
  "banning a key": ({ admission }, { impatient }) => admission.admitKey(other, impatient.keyHash),
  "counting a request without a key": ({ admission }) =>
    admission.countAddress("192.0.2.1", { perMinute: 9, perDay: 9 }),
  "creating an account": ({ accounts }) =>
    accounts.createAccount("cccccccccccc", "test", { plan: "free" }),
  "deleting an account": (stores) => deleteAll(stores, account, {}),
  "lifting a ban": ({ accounts }, { banned }) => accounts.unbanKey(banned.keyId),
  "appending to the audit trail": ({ audit }) => audit.append("{}"),
};

/** Returns the commands that a change runs, also within scripts, except EVAL, by which a process sends a script once. */
async function commandsOf(change: () => Promise<unknown> | undefined): Promise<string[]> {
  await redis.client.config("RESETSTAT");
  await change();
  const stats = await redis.client.info("commandstats");
  const used = new Set(Array.from(stats.matchAll(/^cmdstat_([^:]+):/gm), ([, command]) => command));
  return commands.filter((command) => command !== "eval" && used.has(command));
}

test.each(Object.keys(changes))(
  "%s has no effect if it is refused, whatever the user lacks",
  async (name) => {
    const change = changes[name];
    const stores = open();
    await stores.ready(5_000);
    const filled = await fill(stores);
    const used = await commandsOf(() => change?.(stores, filled));
    expect(used).not.toEqual([]);
    const refused: string[] = [];
    for (const command of used) {
      const keys = await fill(stores);
      const before = await allData();
      await setUser(`-${command}`);
      const isRefused = await change?.(stores, keys).then(
        () => false,
        () => true,
      );
      if (isRefused) {
        refused.push(command);
        expect([command, await allData()]).toEqual([command, before]);
      }
      await setUser();
      await until("the stores are ready", () =>
        stores.ping().then(
          () => true,
          () => false,
        ),
      );
    }
    expect(refused).toEqual(used);
  },
);

test("settings decide which commands are needed", () => {
  const one = settings();
  expect(neededCommands(one)).not.toContain("wait");
  expect(neededCommands({ ...one, ackReplicas: 1 })).toContain("wait");
  expect(neededCommands({ ...one, database: 1 })).toContain("select");
  expect(neededCommands({ ...one, mode: "cluster" })).toEqual(
    expect.arrayContaining(["asking", "cluster|info", "cluster|slots"]),
  );
});
