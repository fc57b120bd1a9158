import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { itemsKey } from "../../../src/stores/redis/keys.ts";
import { useRedis } from "../../support/stores.ts";
import { startRedisServer } from "../harness/redis-server.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { linesOf } from "./log-lines.ts";
import { useCluster, useSentinels } from "./redis-groups.ts";

const single = useRedis("--appendonly", "no"); // of its own, because it is killed
const sentinels = useSentinels();
const cluster = useCluster();
const servers = useServers();

/** Longest wait for a line, in ms. It is long, because the machine may be busy. */
const lineMs = 30_000;

/** Rounding, timers, and the time between the events of the test and those of the service, in ms. */
const slackMs = 200;

/**
 * Waits until the only server that was lost has recovered, and checks how long the outage was.
 *
 * @returns the server, as the log names it
 */
async function expectOneOutage(
  server: ServerProcess,
  atLeastMs: number,
  startedAt: number,
): Promise<string> {
  await server.printed('"msg":"redis recovered"', 1, lineMs);
  const atMostMs = performance.now() - startedAt;
  const lost = linesOf(server, "redis lost");
  const recovered = linesOf(server, "redis recovered");
  expect(lost).toHaveLength(1);
  expect(recovered).toHaveLength(1);
  expect(lost[0]).toMatchObject({ level: 40, reason: expect.stringMatching(/./) });
  expect(recovered[0]).toMatchObject({ level: 40, server: lost[0]?.server });
  expect(recovered[0]?.outageMs).toBeGreaterThan(atLeastMs - slackMs);
  expect(recovered[0]?.outageMs).toBeLessThan(atMostMs + slackMs);
  return String(lost[0]?.server);
}

test("a killed Redis is logged as lost, and as recovered after its restart, with the time between", async () => {
  single.client.on("error", () => {}); // the client reconnects
  const server = await servers.start({ REDIS_URL: single.url });
  const startedAt = performance.now();
  await single.server.kill();
  await server.printed('"msg":"redis lost"', 1, lineMs);
  const lostAt = performance.now();
  // Several attempts to connect fail, and are part of the same outage.
  await server.printed('"msg":"redis is not available"', 3, lineMs);
  const outageMs = performance.now() - lostAt;
  await single.server.start();
  const name = await expectOneOutage(server, outageMs, startedAt);
  expect(name).toBe(new URL(single.url).host);
});

test("while a restarted Redis loads its data, the log names that as the reason", async () => {
  // With 20 ms for each key, loading takes more than a second.
  const redis = await startRedisServer(
    ...["--key-load-delay", "20000", "--loading-process-events-interval-bytes", "1024"],
    ...["--rdbcompression", "no"],
  );
  onTestFinished(() => redis.stop());
  const client = new Redis(redis.url);
  client.on("error", () => {}); // it is killed below
  const filler = client.pipeline();
  for (let index = 0; index < 100; index++) filler.set(`filler:${index}`, "x".repeat(1_500));
  await filler.exec();
  await client.save();
  client.disconnect();
  const server = await servers.start({ REDIS_URL: redis.url });
  await redis.kill();
  await server.printed('"msg":"redis lost"', 1, lineMs);
  const restarted = redis.start();
  await server.printed('"reason":"LOADING ', 1, lineMs);
  await restarted;
  await server.printed('"msg":"redis recovered"', 1, lineMs);
  expect(linesOf(server, "redis lost")).toHaveLength(1);
});

test("a restarted Redis that refuses writes is not logged as recovered until it accepts them", async () => {
  // Redis refuses writes after each start.
  const refusing = await startRedisServer("--min-replicas-to-write", "1");
  const client = new Redis(refusing.url);
  client.on("error", () => {}); // the client reconnects
  onTestFinished(async () => {
    client.disconnect();
    await refusing.stop();
  });
  await client.config("SET", "min-replicas-to-write", "0");
  const server = await servers.start({ REDIS_URL: refusing.url });
  const startedAt = performance.now();
  await refusing.kill();
  await server.printed('"msg":"redis lost"', 1, lineMs);
  await refusing.start();
  await until("the service is connected, and Redis refuses its writes", async () => {
    await fetch(`${server.url}/v1/inventory`);
    return server.stdout.includes("NOREPLICAS");
  });
  const refusedAt = performance.now();
  // Longer than the service needs to report a server that accepts writes.
  await until("a second has passed", () => performance.now() > refusedAt + 1_000);
  expect(server.stdout).not.toContain('"msg":"redis recovered"');
  await client.config("SET", "min-replicas-to-write", "0");
  await expectOneOutage(server, performance.now() - refusedAt, startedAt);
});

test("a failover by sentinels is logged as one outage of the primary", async () => {
  const { group } = sentinels;
  const server = await servers.start(group.environment);
  const primary = await group.primary();
  const startedAt = performance.now();
  await primary.server.kill();
  await server.printed('"msg":"redis lost"', 1, lineMs);
  await group.failedOver(primary);
  await expectOneOutage(server, 0, startedAt);
}, 120_000);

test("a killed node of a cluster is logged by its own address, and the others are not", async () => {
  const server = await servers.start(cluster.cluster.environment);
  const owner = await cluster.cluster.ownerOf(await cluster.cluster.slotOf(itemsKey));
  const startedAt = performance.now();
  await owner.kill();
  await server.printed('"msg":"redis lost"', 1, lineMs);
  await cluster.cluster.elected();
  const name = await expectOneOutage(server, 0, startedAt);
  expect(name).toBe(new URL(owner.server.url).host);
  await until("the service uses the new primary", async () => {
    return (await fetch(`${server.url}/readyz`)).status === 200;
  });
}, 120_000);
