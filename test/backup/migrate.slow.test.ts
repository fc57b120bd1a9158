import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migrate } from "../../src/backup/migrate.ts";
import type { Connection } from "../../src/stores/redis/connection/connection.ts";
import { runHere } from "../cli/command-line.ts";
import { addAccount } from "../support/accounts.ts";
import { openRedisConnection, openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const own: { connection?: Connection } = {};
beforeAll(async () => {
  own.connection = openRedisConnection(redis.url);
  await own.connection.ready(5_000);
});
afterAll(() => own.connection?.close());
beforeEach(async () => {
  await redis.client.flushall();
});

const inventory = (...args: string[]) => runHere(args, { redisUrl: redis.url });

describe("what an interrupted CreateAccount has left", () => {
  const hourMs = 3_600_000;

  test("is removed from the index after an hour", async () => {
    const stores = openRedisStores(redis.url);
    await stores.ready(5_000);
    await addAccount(stores);
    await stores.close();
    await redis.client.zadd("inv:{accounts}", Date.now() - hourMs - 1_000, "bbbbbbbbbbbb");
    await redis.client.zadd("inv:{accounts}", Date.now() - hourMs + 60_000, "cccccccccccc");
    const dry = await inventory("migrate", "--dry-run", "--output=json");
    expect(JSON.parse(dry.stdout)).toEqual({
      from: 1,
      to: 1,
      removed: 1,
      repaired: 0,
    });
    expect(await redis.client.zcard("inv:{accounts}")).toBe(3);
    const { stdout } = await inventory("migrate");
    expect(stdout).toBe(
      "migrated from format 1 to 1: removed 1 from the index, repaired 0 disagreements\n",
    );
    expect((await redis.client.zrange("inv:{accounts}", 0, "-1")).sort()).toEqual([
      "aaaaaaaaaaaa",
      "cccccccccccc",
    ]);
  });
});

test("ends after the page of accounts in which it is interrupted", async () => {
  const stores = openRedisStores(redis.url);
  await stores.ready(5_000);
  await addAccount(stores);
  await stores.close();
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
