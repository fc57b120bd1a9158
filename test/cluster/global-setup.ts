import { startRedisCluster } from "../support/redis-cluster.ts";

/** Starts the cluster on which all files run, one after another. */
export async function setup(): Promise<() => Promise<void>> {
  const cluster = await startRedisCluster({ nodeOptions: ["--appendonly", "no"] });
  process.env.TEST_REDIS_CLUSTER = cluster.urls.join();
  return cluster.stop;
}
