import {
  type Connection,
  type ConnectionOptions,
  connectRedis,
} from "../../src/stores/redis/connection/connection.ts";
import type { RedisSettings } from "../../src/stores/redis/connection/settings.ts";
import { constantTimeBudget } from "../../src/stores/redis/connection/time-budget.ts";
import { createRedisStores, type RedisStoresOptions } from "../../src/stores/redis/stores.ts";
import type { Stores } from "../../src/stores/stores.ts";

/** With the time budget of the service, which is 300 ms or less, a busy machine would look like an outage of Redis. */
const timeBudget = constantTimeBudget(10_000);

/** Makes stores that wait 10 s for Redis. Tests of what the service does in an outage use `createRedisStores` instead. */
export function openRedisStores(
  target: RedisSettings | string,
  options: RedisStoresOptions = {},
): Stores {
  return createRedisStores(target, { timeBudget, ...options });
}

/** Connects to Redis like {@link openRedisStores}. */
export function openRedisConnection(
  target: RedisSettings | string,
  options: ConnectionOptions = {},
): Connection {
  return connectRedis(target, { newTimeBudget: () => timeBudget, ...options });
}
