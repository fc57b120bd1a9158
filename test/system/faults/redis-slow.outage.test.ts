import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { newAccountId, newApiKey } from "../../../src/access/api-key.ts";
import { itemsFrom } from "../../support/stock.ts";
import { useRedis } from "../../support/stores.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { failWithinMs, recoverWithinMs } from "./bounds.ts";
import { send } from "./client.ts";
import { useRedisProxy } from "./redis-proxy.ts";
import { useStores } from "./stores.ts";

const redis = useRedis("--repl-diskless-sync-delay", "0");
const other = useRedis("--repl-diskless-sync-delay", "0");
const proxy = useRedisProxy();
const servers = useServers();
const base = useStores(redis);
const own: { server?: ServerProcess; url: string } = { url: "" };

function running(): ServerProcess {
  if (!own.server) throw new Error("Use the server only while a test runs.");
  return own.server;
}

beforeAll(async () => {
  await base.stores.catalog.put(itemsFrom(1n, 1_500));
  proxy.target = redis.server.port;
  own.server = await servers.start({ REDIS_URL: proxy.url });
  own.url = own.server.url;
});

/** A well-formed key that does not exist. */
const newKey = () => newApiKey(newAccountId());

const list = () => send(`${own.url}/v1/inventory`, { key: base.key });

/** Removes the delay, and waits until the service succeeds again. */
async function back(): Promise<void> {
  proxy.delayMs = 0;
  proxy.repliesLeft = Number.POSITIVE_INFINITY;
  await until("the service is back", async () => (await list()).status === 200);
}

// Redis knows the scripts by now, so that each delay is for one reply.
for (const [what, delayMs, key] of [
  ["admission, then stalls before the item", 250, () => base.key],
  ["saying that a key is unknown, then stalls before the address is counted", 200, newKey],
] as const) {
  test(`503 within half a second if Redis is slow in ${what}`, async () => {
    await back();
    const item = () => send(`${own.url}/v1/inventory/1`, { key: key() });
    await item();
    proxy.delayMs = delayMs;
    proxy.repliesLeft = 1;
    const [reply, control] = await Promise.all([item(), send(`${own.url}/livez`)]);
    expect(reply.status).toBe(503);
    expect(reply.ms).toBeLessThan(failWithinMs + control.ms);
  });
}

test("200 while Redis is slow but replies in time", async () => {
  await back();
  proxy.delayMs = 50;
  expect(await list()).toMatchObject({ status: 200 });
});

test("200 again after Redis stalls once and then takes 120 ms for every reply", async () => {
  await back();
  proxy.delayMs = 400;
  expect((await list()).status).toBe(503);
  proxy.delayMs = 120;
  await until("the service is back", async () => (await list()).status === 200);
  expect((await list()).status).toBe(200);
});

test("a server that was suspended does not mistake its own delay for a timeout of Redis", async () => {
  await back();
  proxy.delayMs = 50;
  const { requests } = proxy;
  const reply = send(`${own.url}/v1/nothing`, { key: base.key });
  await until("admission has called Redis", () => proxy.requests > requests);
  const server = running();
  server.kill("SIGSTOP");
  // Longer than the timeout for Redis, whose reply arrives in the meantime.
  await delay(600);
  server.kill("SIGCONT");
  expect((await reply).status).toBe(404);
});

test("200 again after Redis fails over to another server", async () => {
  await back();
  await other.client.replicaof("127.0.0.1", String(redis.server.port));
  await until("the replica has all data", async () =>
    /master_link_status:up/.test(await other.client.info("replication")),
  );
  // New connections reach the new primary, but connections to the old one stay open.
  await other.client.replicaof("NO", "ONE");
  proxy.target = other.server.port;
  await redis.client.replicaof("127.0.0.1", String(other.server.port));
  const failedOver = performance.now();
  expect((await list()).status).toBe(503);
  await until("the service is back", async () => (await list()).status === 200);
  expect(performance.now() - failedOver).toBeLessThan(recoverWithinMs);
});

test("the tests above made the server log no bug", () => {
  expect(running().stdout).not.toContain('"level":50');
  expect(running().stderr).toBe("");
});
