import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Connection } from "../../src/stores/redis/connection/connection.ts";
import { type Finding, inspectOnce, inspectServers } from "../../src/stores/redis/inspection.ts";
import { openRedisConnection } from "../support/redis-stores.ts";
import { urlOfService, useRedis } from "../support/stores.ts";
import { until } from "../system/harness/until.ts";

const redis = useRedis("--appendonly", "no");
const connections: Connection[] = [];
beforeEach(async () => {
  await redis.client.config("SET", "appendonly", "yes", "maxmemory-policy", "noeviction");
});
afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
});

async function connected(url = redis.url): Promise<Connection> {
  const connection = openRedisConnection(url);
  connections.push(connection);
  await connection.ready(5_000);
  return connection;
}

/** A connection to servers of a version without a stock, of which only INFO can be asked. */
function serversOf(runId: string, ...versions: readonly string[]): Connection {
  const nodes = versions.map((version) => {
    const info = async () =>
      `# Server\r\nredis_version:${version}\r\nrun_id:${runId}\r\n\r\naof_enabled:1\r\nmaxmemory_policy:noeviction\r\n`;
    return { redis: { info } };
  });
  const run = async () => [null, null, ["0", "0"]];
  return { nodes: () => nodes, run } as unknown as Connection;
}

const someRunId = "0123456789".repeat(4);

test("finds nothing if Redis keeps its data", async () => {
  expect(await inspectServers(await connected())).toEqual([]);
});

test("warns of eviction", async () => {
  await redis.client.config("SET", "maxmemory-policy", "volatile-ttl");
  expect(await inspectServers(await connected())).toEqual([
    {
      level: "warn",
      message: "Redis may delete data: its maxmemory-policy is volatile-ttl. Set it to noeviction",
    },
  ]);
});

test("warns of missing persistence, unless there are snapshots", async () => {
  await redis.client.config("SET", "appendonly", "no");
  expect(await inspectServers(await connected())).toEqual([
    {
      level: "warn",
      message: expect.stringContaining("neither an append-only file nor snapshots"),
    },
  ]);
  await redis.client.config("SET", "save", "3600 1");
  expect(await inspectServers(await connected())).toEqual([]);
  await redis.client.config("SET", "save", "");
});

test("says at level debug what the user of `redis-acl` may not read", async () => {
  await redis.client.config("SET", "appendonly", "no");
  const connection = await connected(await urlOfService(redis.client, redis.url));
  expect(await inspectServers(connection)).toEqual([
    { level: "debug", message: expect.stringMatching(/CONFIG GET save: the user may not use it$/) },
  ]);
});

test("warns of an old version, once for all servers", async () => {
  const tooOld = "Redis 6.2.14 is too old: use Redis 7.0 or newer, or Valkey";
  expect(await inspectServers(serversOf(someRunId, "6.2.14", "6.2.14", "7.0.15"))).toEqual([
    { level: "warn", message: tooOld },
  ]);
  expect(await inspectServers(serversOf(someRunId, "7.0.0", "8.2.1"))).toEqual([]);
});

test("warns of servers without a run id", async () => {
  expect(await inspectServers(serversOf("", "7.0.0"))).toEqual([
    { level: "warn", message: expect.stringMatching(/no run_id: .* Run NTP on them$/) },
  ]);
});

describe("the clock of a server", () => {
  const seconds = () => Math.floor(Date.now() / 1_000);
  const lead = 5_000_000_000;

  beforeEach(async () => {
    await redis.client.flushall();
    await redis.client.set("inv:{stock}:run", `${someRunId} ${lead}`);
  });

  test.each([
    ["is right", 0],
    ["is behind by less than a few seconds", 3],
    ["is ahead", -3_600],
  ])("that %s causes no warning", async (_, behind) => {
    const version = (seconds() + behind) * 1e6 + lead;
    await redis.client.set("inv:{stock}:newest-change", `${version}-7`);
    expect(await inspectServers(await connected())).toEqual([]);
  });

  test("that is behind causes a warning, also for the user of `redis-acl`", async () => {
    const version = (seconds() + 60) * 1e6 + lead;
    await redis.client.set("inv:{stock}:newest-change", `${version}-7`);
    const message = expect.stringMatching(
      /^The clock of Redis is (59|60) s behind its newest change\. Run NTP/,
    );
    for (const url of [redis.url, await urlOfService(redis.client, redis.url)]) {
      expect(await inspectServers(await connected(url))).toEqual([{ level: "warn", message }]);
    }
  });

  test("is not known from restored data", async () => {
    await redis.client.del("inv:{stock}:run");
    await redis.client.set("inv:{stock}:newest-change", `${seconds() * 1e6 + lead}-7`);
    expect(await inspectServers(await connected())).toEqual([]);
  });
});

test("reports each finding once, however often it connects", async () => {
  await redis.client.config("SET", "maxmemory-policy", "volatile-ttl");
  const found: Finding[] = [];
  const inspect = inspectOnce(await connected(), (finding) => found.push(finding));
  inspect();
  inspect();
  await until("there is a finding", () => found.length > 0);
  inspect();
  await inspectServers(await connected());
  expect(found).toHaveLength(1);
});
