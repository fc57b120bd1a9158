import type { TestProject } from "vitest/node";
import { startRedisCluster } from "../harness/redis-cluster.ts";

/** Starts a cluster for each worker. The files of a worker run on it one after another. */
export async function setup({ config }: TestProject): Promise<() => Promise<void>> {
  const starts = Array.from({ length: Number(config.maxWorkers) }, () =>
    startRedisCluster({ nodeOptions: ["--appendonly", "no"] }),
  );
  const clusters = await Promise.all(starts);
  process.env.TEST_REDIS_CLUSTERS = clusters.map(({ urls }) => urls.join()).join(" ");
  return async () => {
    await Promise.all(clusters.map(({ stop }) => stop()));
  };
}
