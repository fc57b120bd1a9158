import { expect, test } from "vitest";
import { readRedisConfig } from "../../../src/config/config.ts";
import { createRedisStores } from "../../../src/stores/redis/stores.ts";
import { useServers } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";
import { useCluster } from "./redis-groups.ts";

const redis = useCluster({ replicas: 0 });
const servers = useServers();

/** How long a start may take until it fails, in ms. A busy machine takes longer to load the program. */
const [failsWithinMs, processMs] = [6_000, 15_000];

/** @returns why a start fails, within the time for it */
async function reason(): Promise<string> {
  const { environment } = redis.cluster;
  const settings = readRedisConfig(environment);
  if (!settings) throw new Error("the settings have no Redis");
  const stores = createRedisStores(settings);
  const begun = performance.now();
  const { cause } = (await stores.ready(2_000).catch((error: unknown) => error)) as Error;
  await stores.close();
  expect(performance.now() - begun).toBeLessThan(failsWithinMs);
  const server = servers.run({ PORT: "0", ...environment });
  expect((await server.exited(processMs)).code).toBe(1);
  expect(server.stderr.split("\n").length).toBe(2);
  return (cause as Error).message;
}

test.each(["killed", "stalled"])(
  "a start fails within 6 s and names the slots of a %s primary",
  async (how) => {
    const nodes = await redis.cluster.primaries();
    const last = nodes.at(-1);
    if (!last) throw new Error("there is no primary");
    if (how === "killed") await last.server.kill();
    else last.server.pause();
    try {
      expect(await reason()).toMatch(
        new RegExp(`^REDIS_URL: .*slots have no primary \\(.*-16383\\): .*:${last.server.port}: `),
      );
    } finally {
      if (how === "killed") await last.server.start();
      else last.server.resume();
    }
    await until(
      "the cluster is whole",
      async () => String(await last.client.call("CLUSTER", "INFO")).includes("cluster_state:ok"),
      30_000,
    );
  },
  60_000,
);
