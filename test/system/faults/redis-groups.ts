import { afterAll, beforeAll } from "vitest";
import {
  type ClusterOptions,
  type RedisCluster,
  startRedisCluster,
} from "../harness/redis-cluster.ts";
import {
  type RedisSentinels,
  type SentinelOptions,
  startRedisSentinels,
} from "../harness/redis-sentinel.ts";
import { setUpMs } from "./bounds.ts";

/** Starts a cluster before the tests, and stops it after them. */
export function useCluster(options: ClusterOptions = {}): { readonly cluster: RedisCluster } {
  const group = useGroup(() => startRedisCluster(options));
  return {
    get cluster() {
      return group();
    },
  };
}

/** Starts a primary, replicas and sentinels before the tests, and stops them after the tests. */
export function useSentinels(options: SentinelOptions = {}): { readonly group: RedisSentinels } {
  const group = useGroup(() => startRedisSentinels(options));
  return {
    get group() {
      return group();
    },
  };
}

function useGroup<T extends { stop(): Promise<void> }>(start: () => Promise<T>): () => T {
  const own: { group?: T } = {};
  beforeAll(async () => {
    own.group = await start();
  }, setUpMs);
  afterAll(() => own.group?.stop());
  return () => {
    if (!own.group) throw new Error("Use Redis only while a test runs.");
    return own.group;
  };
}
