import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migrate } from "../../src/backup/migrate.ts";
import { type Connection, connectRedis } from "../../src/stores/redis/connection/connection.ts";
import { accountKey, accountWindowsKey, refusalsKey } from "../../src/stores/redis/keys.ts";
import { createRedisStores } from "../../src/stores/redis/stores.ts";
import { runHere } from "../cli/command-line.ts";
import { addAccount, addKey, type TestKey } from "../support/accounts.ts";
import { useRedis } from "../support/stores.ts";
import { contentsOf } from "./contents.ts";

const redis = useRedis("--appendonly", "no");
const own: { connection?: Connection } = {};
const count = 1_200;
const idOf = (number: number) => `acc${String(number).padStart(9, "0")}`;

beforeAll(async () => {
  own.connection = connectRedis(redis.url);
  await own.connection.ready(5_000);
});
afterAll(() => own.connection?.close());
beforeEach(async () => {
  await redis.client.flushall();
});

const inventory = (...args: string[]) => runHere(args, { redisUrl: redis.url });

/** Makes accounts in format 0. The first one has counters. @returns its key, and the contents in format 1 */
async function formatZero(): Promise<{ key: TestKey; after: unknown }> {
  const stores = createRedisStores(redis.url);
  await stores.ready(5_000);
  for (let number = 0; number < count; number += 1) {
    await addAccount(stores, { plan: "free" }, idOf(number));
  }
  const key = await addKey(stores, idOf(0));
  // One more than the limit of a minute, so that there is a refusal too.
  for (let request = 0; request <= 60; request += 1) {
    await stores.admission.admitKey(idOf(0), key.keyHash);
  }
  await stores.close();
  const after = await contentsOf(redis.client);
  for (let number = 0; number < count; number += 1) await asBefore(idOf(number), key.keyHash);
  await redis.client.del("inv:format");
  return { key, after };
}

/** Renames the keys of an account to those of format 0. */
async function asBefore(accountId: string, keyHash: string): Promise<void> {
  const old = `inv:{${accountId}}`;
  const names = [
    [accountKey(accountId), old],
    [accountWindowsKey(accountId), `${old}:windows`],
    [refusalsKey(accountId, keyHash), `${old}:refusals:${keyHash}`],
  ] as const;
  for (const [name, former] of names) await redis.client.rename(name, former).catch(() => {});
}

describe("from format 0 to 1", () => {
  test("no command uses the data before, and each says what to run", async () => {
    await formatZero();
    const { code, stderr } = await inventory("accounts", "list");
    expect([code, stderr]).toEqual([
      6,
      "error: The data in Redis has format 0, and this version needs 1. Stop all processes of the service, then run `inventory migrate`.\n",
    ]);
  });

  test("keeps accounts, keys and counters", async () => {
    const { key, after } = await formatZero();
    const { code, stdout } = await inventory("migrate");
    expect([code, stdout]).toEqual([
      0,
      `migrated from format 0 to 1: renamed ${count} accounts, removed 0 from the index, repaired 0 disagreements\n`,
    ]);
    expect(await contentsOf(redis.client)).toEqual(after);
    const stores = createRedisStores(redis.url);
    await stores.ready(5_000);
    const { verdict } = await stores.admission.admitKey(idOf(0), key.keyHash);
    await stores.close();
    expect(verdict).toBe("limited");
    const old = (await redis.client.keys("*")).filter((name) => name.includes("{acc0"));
    expect(old).toEqual([]);
  });

  test("a dry run says the same and changes nothing", async () => {
    await formatZero();
    const before = await redis.client.keys("*");
    const { code, stdout } = await inventory("migrate", "--dry-run", "--json");
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { from: 0, to: 1, accounts: count, removed: 0, repaired: 0 },
    ]);
    expect((await redis.client.keys("*")).sort()).toEqual(before.sort());
  });

  test("continues after an interruption; until then no command uses the data", async () => {
    const { after } = await formatZero();
    if (!own.connection) throw new Error("no connection");
    const controller = new AbortController();
    const interrupted = migrate(own.connection, {
      dryRun: false,
      begin() {},
      repairing() {},
      advance: () => controller.abort(new Error("interrupted")),
      signal: controller.signal,
    });
    await expect(interrupted).rejects.toThrow("interrupted");
    expect(await redis.client.exists(accountKey(idOf(0)))).toBe(1);
    expect(await redis.client.exists(`inv:{${idOf(count - 1)}}`)).toBe(1);
    expect((await inventory("accounts", "list")).code).toBe(6);
    const { stdout } = await inventory("migrate", "--json");
    const { accounts } = JSON.parse(stdout);
    expect(accounts).toBeGreaterThan(0);
    expect(accounts).toBeLessThan(count);
    expect(await contentsOf(redis.client)).toEqual(after);
  });

  test("continues between two keys of an account", async () => {
    const { after, key } = await formatZero();
    const old = `inv:{${idOf(0)}}`;
    await redis.client.rename(`${old}:refusals:${key.keyHash}`, refusalsKey(idOf(0), key.keyHash));
    expect((await inventory("migrate")).code).toBe(0);
    expect(await contentsOf(redis.client)).toEqual(after);
    expect(await redis.client.exists(accountWindowsKey(idOf(0)))).toBe(1);
    expect(await redis.client.exists(refusalsKey(idOf(0), key.keyHash))).toBe(1);
  });
});

describe("what an interrupted CreateAccount has left", () => {
  const hourMs = 3_600_000;

  test("is removed from the index after an hour", async () => {
    const stores = createRedisStores(redis.url);
    await stores.ready(5_000);
    await addAccount(stores);
    await stores.close();
    await redis.client.zadd("inv:{accounts}", Date.now() - hourMs - 1_000, "bbbbbbbbbbbb");
    await redis.client.zadd("inv:{accounts}", Date.now() - hourMs + 60_000, "cccccccccccc");
    const dry = await inventory("migrate", "--dry-run", "--json");
    expect(JSON.parse(dry.stdout)).toEqual({
      from: 1,
      to: 1,
      accounts: 0,
      removed: 1,
      repaired: 0,
    });
    expect(await redis.client.zcard("inv:{accounts}")).toBe(3);
    const { stdout } = await inventory("migrate");
    expect(stdout).toBe(
      "migrated from format 1 to 1: renamed 0 accounts, removed 1 from the index, repaired 0 disagreements\n",
    );
    expect((await redis.client.zrange("inv:{accounts}", 0, "-1")).sort()).toEqual([
      "aaaaaaaaaaaa",
      "cccccccccccc",
    ]);
  });
});

test("data of a newer format is refused: exit code 6", async () => {
  await redis.client.set("inv:format", 7);
  const { code, stderr } = await inventory("migrate");
  expect([code, stderr]).toEqual([6, expect.stringContaining("has format 7")]);
  expect(await redis.client.get("inv:format")).toBe("7");
});

test("an empty Redis gets the newest format", async () => {
  expect((await inventory("migrate")).code).toBe(0);
  expect(await redis.client.get("inv:format")).toBe("1");
});
