import { expect, test } from "vitest";
import { present } from "../../../src/common/present.ts";
import { readRedisConfig } from "../../../src/config/config.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { recoverWithinMs } from "./bounds.ts";
import { send } from "./client.ts";
import { useSentinels } from "./redis-groups.ts";
import { expectUnavailable } from "./unavailable.ts";

const redis = useSentinels({ replicas: 1, nodeOptions: ["--appendonly", "yes"] });
const servers = useServers();

async function newKey(): Promise<string> {
  const stores = openRedisStores(present(readRedisConfig(redis.group.environment), "Redis"));
  await stores.ready(10_000);
  const { secret } = await addKey(stores, await addAccount(stores, { plan: "business" }));
  await stores.close();
  return secret;
}

test("200 while no sentinel runs; after the primary has restarted, 503 until a sentinel says that it is still the primary", async () => {
  const key = await newKey();
  const server = await servers.start(redis.group.environment);
  /** Waits until the service succeeds, and checks that this is in time after Redis was back. */
  const expectBack = async () => {
    const back = performance.now();
    await until("the service is back", async () => {
      return (await send(`${server.url}/v1/inventory`, { key })).status === 200;
    });
    const live = await send(`${server.url}/livez`);
    expect(performance.now() - back).toBeLessThan(recoverWithinMs + live.ms);
    expect((await send(`${server.url}/readyz`)).status).toBe(200);
    expect(server.stdout).not.toContain("a request failed because of a bug");
  };
  const [sentinel, ...others] = redis.group.sentinels;
  const primary = await redis.group.primary();
  await Promise.all([sentinel, ...others].map((each) => each?.server.kill()));
  await expectBack();
  await primary.server.kill();
  await expectUnavailable(server.url, key);
  await primary.server.start();
  await expectUnavailable(server.url, key);
  await sentinel?.server.start();
  await expectBack();
}, 60_000);
