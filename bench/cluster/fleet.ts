import type { Redis } from "ioredis";
import { readConfig, readRedisConfig } from "../../src/config/config.ts";
import { constantTimeBudget } from "../../src/stores/redis/connection/time-budget.ts";
import { createRedisStores } from "../../src/stores/redis/stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey } from "../../test/support/accounts.ts";
import { startRedisCluster } from "../../test/system/harness/redis-cluster.ts";
import { storedItem, unlimited } from "../data.ts";
import { benchItems } from "../items.ts";
import { loadCore, moveToCore } from "../machine/cores.ts";

/** A Redis Cluster without replicas on the core of the load generator, and the stores in it. */
export interface Fleet {
  /** The settings of a service that uses it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly stores: Stores;
  /** Returns CPU time so far, user and system, of each primary, in µs. */
  cpuMicros(): Promise<number[]>;
  stop(): Promise<void>;
}

/** The default length of the history. */
const { history } = readConfig({});

/** How long a command may take, in milliseconds. */
const timeoutMs = 20_000;

/** Primaries share one core with the load, so they may reply late to each other. */
const nodeTimeout = ["--cluster-node-timeout", "20000"] as const;

/** @param primaries the number of primaries */
export async function startFleet(primaries: number): Promise<Fleet> {
  const cluster = await startRedisCluster({ primaries, replicas: 0, nodeOptions: nodeTimeout });
  try {
    const clients = cluster.nodes.map(({ client }) => client);
    for (const client of clients) moveToCore(loadCore, await infoNumber(client, "process_id"));
    const stores = await openStores(cluster.environment);
    return {
      environment: cluster.environment,
      stores,
      cpuMicros: () => Promise.all(clients.map(usedMicros)),
      async stop() {
        await stores.close();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Opens the stores that a service with these settings uses, with more time for Redis: the machine may be busy. */
export async function openStores(environment: Readonly<Record<string, string>>): Promise<Stores> {
  const settings = readRedisConfig(environment);
  if (!settings) throw new Error("the settings have no REDIS_URL");
  const stores = createRedisStores(settings, {
    history,
    timeBudget: constantTimeBudget(timeoutMs),
  });
  await stores.ready(timeoutMs);
  return stores;
}

/** Returns the CPU time of a Redis server so far, in µs. */
export async function usedMicros(redis: Redis): Promise<number> {
  const user = await infoNumber(redis, "used_cpu_user");
  return 1_000_000 * (user + (await infoNumber(redis, "used_cpu_sys")));
}

async function infoNumber(redis: Redis, name: string): Promise<number> {
  const info = await redis.info();
  return Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)?.[1]);
}

/** Fills the stock, and adds an account with unlimited calls for each id. @returns a key of each account */
export async function fill(
  stores: Stores,
  items: number,
  accountIds: readonly string[],
): Promise<{ secret: string; accountId: string; hash: string }[]> {
  await stores.catalog.put(benchItems(items).map(storedItem));
  const keys = [];
  for (const accountId of accountIds) {
    await addAccount(stores, { plan: "enterprise", limits: unlimited }, accountId);
    const { secret, keyHash } = await addKey(stores, accountId);
    keys.push({ secret, accountId, hash: keyHash });
  }
  return keys;
}
