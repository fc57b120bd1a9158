import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { useServers } from "../harness/server-process.ts";

const redis = useRedis("--appendonly", "no");
const servers = useServers();

beforeEach(async () => {
  await redis.client.flushall();
});

test("a server that cannot use the data prints one line and exits with code 1", async () => {
  await redis.client.set("inv:format", "2");
  const server = servers.run({ REDIS_URL: redis.url, PORT: "0" });
  expect((await server.exited()).code).toBe(1);
  expect(server.stderr).toBe(
    "The data in Redis has format 2, and this version uses format 1. Run the version of the service that wrote the data.\n",
  );
});

test("the stores become ready although Redis executes no write for longer than a command may take", async () => {
  const stores = openRedisStores(redis.url);
  onTestFinished(() => stores.close());
  await redis.client.call("CLIENT", "PAUSE", "1000", "WRITE");
  await stores.ready(5_000);
  expect(await redis.client.get("inv:format")).toBe("1");
});

test("a running server drains and exits with code 1 when the format has changed", async () => {
  const server = await servers.start({ REDIS_URL: redis.url, DRAIN_TIMEOUT_MS: "1000" });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  await redis.client.set("inv:format", "2");
  await redis.client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  expect((await server.exited()).code).toBe(1);
  expect(server.stdout).toContain("The data in Redis has format 2");
  expect(server.stdout).toContain("this version cannot use the data in redis: draining");
});

test("a server warns once of settings of Redis that lose data", async () => {
  await redis.client.config("SET", "maxmemory-policy", "allkeys-lru");
  const server = await servers.start({ REDIS_URL: redis.url, WORKERS: "2" });
  const eviction = "its maxmemory-policy is allkeys-lru. Set it to noeviction";
  const persistence = "it writes neither an append-only file nor snapshots";
  await server.printed(persistence);
  await redis.client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  await server.printed('"msg":"listening"', 2);
  await redis.client.config("SET", "maxmemory-policy", "noeviction");
  for (const text of [eviction, persistence]) expect(server.stdout.split(text)).toHaveLength(2);
});
