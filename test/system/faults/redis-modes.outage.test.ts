import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readRedisConfig } from "../../../src/config/config.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { useDirectory } from "../../support/directory.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { recoverWithinMs } from "./bounds.ts";
import { send } from "./client.ts";
import type { Environment } from "./fleet.ts";
import { useCluster, useSentinels } from "./redis-groups.ts";
import { expectUnavailable } from "./unavailable.ts";

const durable = ["--appendonly", "yes"] as const;
const directory = useDirectory();
const passwordFile = join(directory, "password");

beforeAll(() => writeFileSync(passwordFile, "first"));

/** A running server, and a key without practical limits. */
interface Running {
  readonly server: ServerProcess;
  readonly key: string;
}

/** Starts a server before the tests. Call it within a `describe`, after what starts Redis. */
function useOneServer(environment: () => Environment): () => Running {
  const servers = useServers();
  const own: { running?: Running } = {};
  beforeAll(async () => {
    const settings = environment();
    const redis = readRedisConfig(settings);
    if (!redis) throw new Error("the settings have no Redis");
    const stores = openRedisStores(redis);
    await stores.ready(10_000);
    const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
    const accountId = await addAccount(stores, { plan: "enterprise", limits });
    const key = (await addKey(stores, accountId)).secret;
    await stores.close();
    own.running = { server: await servers.start(settings), key };
  }, 30_000);
  return () => {
    if (!own.running) throw new Error("Use the server only while a test runs.");
    return own.running;
  };
}

/** Waits until the service succeeds, and checks that this is in time after Redis was back. */
async function expectBack({ server, key }: Running): Promise<void> {
  const back = performance.now();
  await until("the service is back", async () => {
    const { status } = await send(`${server.url}/v1/inventory`, { key });
    return status === 200;
  });
  const live = await send(`${server.url}/livez`);
  expect(performance.now() - back).toBeLessThan(recoverWithinMs + live.ms);
  expect((await send(`${server.url}/readyz`)).status).toBe(200);
  expect(server.stdout).not.toContain("a request failed because of a bug");
}

describe("on a cluster, 503 in time, then recovery", () => {
  const redis = useCluster({ primaries: 1, replicas: 0, password: "first", nodeOptions: durable });
  const running = useOneServer(() => ({
    ...redis.cluster.environment,
    REDIS_PASSWORD_FILE: passwordFile,
  }));
  const node = () => {
    const [first] = redis.cluster.nodes;
    if (!first) throw new Error("the cluster has no node");
    return first;
  };
  const unavailable = async () => expectUnavailable(running().server.url, running().key);

  test("while no node has the slots", async () => {
    const { client } = node();
    await client.call("CLUSTER", "DELSLOTSRANGE", 0, 16_383);
    await until("the cluster is down", async () =>
      String(await client.call("CLUSTER", "INFO")).includes("cluster_state:fail"),
    );
    await unavailable();
    await client.call("CLUSTER", "ADDSLOTSRANGE", 0, 16_383);
    await redis.cluster.elected();
    await expectBack(running());
  }, 60_000);

  test("while it refuses the password", async () => {
    const { client } = node();
    await client.config("SET", "requirepass", "second");
    await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await unavailable();
    // The file is read again for each connection.
    writeFileSync(passwordFile, "second");
    await expectBack(running());
  }, 60_000);
});

describe("with sentinels", () => {
  const redis = useSentinels({ replicas: 1, nodeOptions: durable });
  const running = useOneServer(() => redis.group.environment);

  test("200 while no sentinel runs; after the primary has restarted, 503 until a sentinel says that it is still the primary", async () => {
    const [sentinel, ...others] = redis.group.sentinels;
    const primary = await redis.group.primary();
    await Promise.all([sentinel, ...others].map((each) => each?.server.kill()));
    await expectBack(running());
    await primary.server.kill();
    await expectUnavailable(running().server.url, running().key);
    await primary.server.start();
    await expectUnavailable(running().server.url, running().key);
    await sentinel?.server.start();
    await expectBack(running());
  }, 60_000);
});
