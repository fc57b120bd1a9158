import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { type App, createApp } from "../../src/app/app.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/observability/log/log.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey, someKey } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";

/** A separate Redis, because the test counts its commands. */
const redis = useRedis("--appendonly", "no");

/**
 * The commands that other work may add while 100 requests run, on a busy machine: a new second begins a new bucket, for
 * which the windows of the address are read once. A command for each request would add 100.
 */
const otherCommands = 50;

/** Commands that read the stock, its changes or its version. */
const listCommands = ["get", "hmget", "xrange", "xrevrange", "zrangebylex", "zrange"];

describe("list requests without a valid key, after an import", () => {
  const own: { stores?: Stores; importer?: Stores; app?: App; url: string } = { url: "" };

  beforeAll(async () => {
    own.importer = openRedisStores(redis.url);
    own.stores = openRedisStores(redis.url);
    await Promise.all([own.importer.ready(5_000), own.stores.ready(5_000)]);
  });
  beforeEach(async () => {
    await redis.client.flushall();
    const config = readConfig({ PORT: "0", LOG_LEVEL: "silent" });
    if (!own.stores) throw new Error("Use the stores only while a test runs.");
    own.app = createApp(config, own.stores, createLog("silent"));
    own.url = (await own.app.listen(0, "127.0.0.1")).url;
  });
  afterEach(() => own.app?.drain(0));
  afterAll(async () => {
    await Promise.all([own.stores?.close(), own.importer?.close()]);
  });

  async function list(secret?: string): Promise<number> {
    const headers: Record<string, string> = secret ? { authorization: `Bearer ${secret}` } : {};
    const response = await fetch(`${own.url}/v1/inventory`, { headers });
    await response.arrayBuffer();
    return response.status;
  }

  async function listWork(): Promise<number> {
    const statistics = await redis.client.info("commandstats");
    const calls = listCommands.map((name) =>
      Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(statistics)?.[1] ?? 0),
    );
    return calls.reduce((sum, each) => sum + each, 0);
  }

  const items = (from: number) =>
    Array.from({ length: 500 }, (_, i) => ({
      petId: BigInt(from + i),
      quantity: 1,
      status: PetStatus.AVAILABLE,
    }));

  // A key that does not exist costs one HMGET of its account for each request.
  it.each([
    ["no key", () => undefined, 0],
    ["a malformed key", () => "inv_nonsense", 0],
    ["a well-formed key that does not exist", (id: string) => someKey(id).secret, 1],
  ])("401 without reading the list for %s", async (_, secretOf, commands) => {
    const { stores, importer } = own;
    if (!stores || !importer) throw new Error("no stores");
    const accountId = await addAccount(stores);
    const key = await addKey(stores, accountId);
    const secret = secretOf(accountId);
    await importer.inventory.put(items(1));
    expect(await list(key.secret)).toBe(200);
    expect(await list(key.secret)).toBe(200);
    await importer.inventory.put(items(1_001));
    // The first request reads the windows of the address into the cache.
    expect(await list(secret)).toBe(401);
    const before = await listWork();
    const statuses = await Promise.all(Array.from({ length: 100 }, () => list(secret)));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect((await listWork()) - before).toBeLessThan(100 * commands + otherCommands);
  });
});
