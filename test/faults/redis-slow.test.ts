import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { newAccountId, newApiKey } from "../../src/access/api-key.ts";
import { createRedisStores } from "../../src/redis/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useRedis } from "../support/stores.ts";
import { recoverWithinMs, tellWithinMs } from "./bounds.ts";
import { send } from "./client.ts";
import { useRedisProxy } from "./redis-proxy.ts";
import { type ServerProcess, useServers } from "./server-process.ts";
import { until } from "./until.ts";

const redis = useRedis("--repl-diskless-sync-delay", "0");
const other = useRedis("--repl-diskless-sync-delay", "0");
const proxy = useRedisProxy();
const servers = useServers();
const own: { server?: ServerProcess; key: string; url: string } = { key: "", url: "" };

function running(): ServerProcess {
  if (!own.server) {
    throw new Error("the server runs only while tests do");
  }
  return own.server;
}

beforeAll(async () => {
  const stores = createRedisStores(redis.url);
  await stores.ready(5_000);
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
  const accountId = await addAccount(stores, { plan: "enterprise", limits });
  own.key = (await addKey(stores, accountId)).secret;
  await stores.inventory.put(
    Array.from({ length: 1_500 }, (_, index) => ({
      petId: BigInt(index + 1),
      quantity: 1,
      status: PetStatus.AVAILABLE,
    })),
  );
  await stores.close();
  proxy.target = redis.server.port;
  own.server = await servers.start({ REDIS_URL: proxy.url });
  own.url = own.server.url;
});

/** Well-formed, but nobody's. */
const newKey = () => newApiKey(newAccountId());

const list = () => send(`${own.url}/v1/inventory`, { key: own.key });

/** Waits until Redis is reached without delay again. */
async function back(): Promise<void> {
  proxy.delayMs = 0;
  proxy.repliesLeft = Number.POSITIVE_INFINITY;
  await until("the service is back", async () => (await list()).status === 200);
}

// The scripts are known to Redis by then: each wait is for one reply.
for (const [what, delayMs, key] of [
  ["admission, then stalls before the item", 250, () => own.key],
  ["saying that a key is unknown, then stalls before the address is counted", 200, newKey],
] as const) {
  test(`Redis is slow in ${what}: 503 within half a second`, async () => {
    await back();
    const item = () => send(`${own.url}/v1/inventory/1`, { key: key() });
    await item();
    proxy.delayMs = delayMs;
    proxy.repliesLeft = 1;
    const [answer, control] = await Promise.all([item(), send(`${own.url}/livez`)]);
    expect(answer.status).toBe(503);
    expect(answer.ms).toBeLessThan(tellWithinMs + control.ms);
  });
}

test("Redis is slow but answers: so does the service", async () => {
  await back();
  proxy.delayMs = 50;
  expect(await list()).toMatchObject({ status: 200 });
});

test("Redis stalls once, and takes 120 ms for every answer from then on: the service is back", async () => {
  await back();
  proxy.delayMs = 400;
  expect((await list()).status).toBe(503);
  proxy.delayMs = 120;
  await until("the service is back", async () => (await list()).status === 200);
  expect((await list()).status).toBe(200);
});

test("the server is stopped for a while: it does not take its own delay for one of Redis", async () => {
  await back();
  proxy.delayMs = 50;
  const { requests } = proxy;
  const answer = send(`${own.url}/v1/nothing`, { key: own.key });
  await until("admission asked Redis", () => proxy.requests > requests);
  const server = running();
  server.kill("SIGSTOP");
  // Longer than Redis is waited for. Its reply arrives meanwhile.
  await delay(600);
  server.kill("SIGCONT");
  expect((await answer).status).toBe(404);
});

test("Redis fails over to another server: the service follows by itself", async () => {
  await back();
  await other.client.replicaof("127.0.0.1", String(redis.server.port));
  await until("the replica has all", async () =>
    /master_link_status:up/.test(await other.client.info("replication")),
  );
  // From now on the address leads to the new primary, but connections to the old one stay open.
  await other.client.replicaof("NO", "ONE");
  proxy.target = other.server.port;
  await redis.client.replicaof("127.0.0.1", String(other.server.port));
  const failedOver = performance.now();
  expect((await list()).status).toBe(503);
  await until("the service is back", async () => (await list()).status === 200);
  expect(performance.now() - failedOver).toBeLessThan(recoverWithinMs);
});

test("none of it was logged as a bug of the service", () => {
  expect(running().stdout).not.toContain('"level":50');
  expect(running().stderr).toBe("");
});
