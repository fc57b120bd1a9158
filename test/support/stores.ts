import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from "vitest";
import { present } from "../../src/common/present.ts";
import { readRedisConfig } from "../../src/config/config.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";
import type { OrderLimits } from "../../src/stores/order-store.ts";
import { aclLine } from "../../src/stores/redis/acl.ts";
import type { RedisSettings } from "../../src/stores/redis/connection/settings.ts";
import type { RedisStoresOptions } from "../../src/stores/redis/stores.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { type RedisServer, startRedisServer } from "../system/harness/redis-server.ts";
import { openRedisStores } from "./redis-stores.ts";

export interface ManualClock {
  /** Milliseconds since the epoch. */
  now: number;
}

/** Stores that are empty before each test, with a manual clock. */
export interface StoresUnderTest {
  readonly stores: Stores;
  readonly clock: ManualClock;
}

/** A time in the middle of a minute, an hour and a day. */
export const someTime = Date.UTC(2026, 6, 15, 10, 20, 30, 400);

/** The version of the n-th change of a test if the clock does not move; 0 before the first change. */
export function nthVersion(n: number): bigint {
  return n === 0 ? 0n : BigInt(someTime) * 1_000n + BigInt(n - 1);
}

/** A kind of store: memory or Redis. */
export interface StoreKind {
  readonly name: string;
  /**
   * Creates the stores before each test and closes them afterwards. Call it within a `describe`.
   *
   * @param auditLength the highest number of entries of the audit trail; no limit if absent
   * @param orders limits of the orders of each account; none if absent
   */
  use(auditLength?: number, orders?: OrderLimits): StoresUnderTest;
}

/** Stores in Redis, for tests of connections: what a client does not read is the same with every store. */
export const redisKind: StoreKind = { name: "redis", use: useRedisStores };

/** Stores in memory, for tests of what is the same with every store. */
export const memoryKind: StoreKind = { name: "memory", use: useMemoryStores };

/** Both implementations of the stores. Every test of a store runs with both; on a cluster, only with that. */
export const storeKinds: readonly StoreKind[] = process.env.TEST_REDIS_CLUSTERS
  ? [redisKind]
  : [memoryKind, redisKind];

function useMemoryStores(auditLength?: number, orders?: OrderLimits): StoresUnderTest {
  const clock = { now: someTime };
  const under: { stores?: Stores } = {};
  beforeEach(() => {
    clock.now = someTime;
    under.stores = createMemoryStores(() => clock.now, { auditLength, orders });
  });
  return lateStores(under, clock);
}

function useRedisStores(auditLength?: number, orders?: OrderLimits): StoresUnderTest {
  const clock = { now: someTime };
  const under: { stores?: Stores } = {};
  const redis = useStoreServers();
  beforeEach(async () => {
    clock.now = someTime;
    await redis.flush();
    // New stores for each test, because they cache some replies of Redis.
    under.stores = openRedisStores(redis.target, {
      now: () => clock.now,
      ...(auditLength !== undefined && { auditLength }),
      orders,
    });
    await under.stores.ready(5_000);
  });
  afterEach(() => under.stores?.close());
  return lateStores(under, clock);
}

/** Adds the user of `inventory redis-acl` to a Redis. @returns the URL with that user */
export async function urlOfService(client: Redis, url: string): Promise<string> {
  const [, ...rules] = aclLine("service", "secret").split(" ");
  await client.call("ACL", "SETUSER", ...rules);
  return url.replace("redis://", "redis://service:secret@");
}

function lateStores(under: { stores?: Stores }, clock: ManualClock): StoresUnderTest {
  return {
    clock,
    get stores() {
      return present(under.stores, "the connection to the database");
    },
  };
}

/** Opens stores, and closes them when the test has finished. @param target a URL, or settings */
export async function readyStores(
  target: RedisSettings | string,
  options?: RedisStoresOptions,
): Promise<Stores> {
  const stores = openRedisStores(target, options);
  onTestFinished(() => stores.close());
  await stores.ready(5_000);
  return stores;
}

/** Stores that are open for all tests of a file or a `describe`. */
export function useReadyStores(
  redis: { readonly url: string },
  options?: RedisStoresOptions,
): { readonly stores: Stores } {
  const own: { stores?: Stores } = {};
  beforeAll(async () => {
    own.stores = openRedisStores(redis.url, options);
    await own.stores.ready(5_000);
  });
  afterAll(() => own.stores?.close());
  return {
    get stores() {
      return present(own.stores, "the connection to the database");
    },
  };
}

/** Returns how many scripts a Redis has run by their hashes. */
export async function scriptCalls(client: Redis): Promise<number> {
  const statistics = await client.info("commandstats");
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(statistics)?.[1] ?? 0);
}

/** The servers that hold the data of the stores. */
export interface StoreServers {
  /** For `openRedisStores`. */
  readonly target: RedisSettings | string;
  /** Removes all data. */
  flush(): Promise<void>;
}

/**
 * The Redis of a test that uses it only through stores: the worker's cluster of `TEST_REDIS_CLUSTERS` if that is set (see
 * `npm run task cluster`), otherwise the same as {@link useRedis}.
 */
export function useStoreServers(): StoreServers {
  const { TEST_REDIS_CLUSTERS: clusters, VITEST_POOL_ID: worker } = process.env;
  const urls = clusters?.split(" ").at(Number(worker) - 1);
  return urls === undefined ? useOneServer() : useCluster(urls);
}

/** The stores connect as the user of `inventory redis-acl`, so that every test shows whether its commands suffice. */
function useOneServer(): StoreServers {
  const redis = useRedis();
  const own = { url: "" };
  beforeAll(async () => {
    own.url = await urlOfService(redis.client, redis.url);
  });
  return {
    get target() {
      return own.url;
    },
    flush: async () => void (await redis.client.flushdb()),
  };
}

function useCluster(urls: string): StoreServers {
  const target = readRedisConfig({ REDIS_MODE: "cluster", REDIS_URL: urls });
  if (!target) throw new Error("TEST_REDIS_CLUSTERS has no URL");
  const clients: Redis[] = [];
  beforeAll(() => {
    for (const url of urls.split(",")) clients.push(new Redis(url));
  });
  afterAll(() => {
    for (const client of clients) client.disconnect();
  });
  return {
    target,
    async flush() {
      const results = await Promise.allSettled(clients.map((client) => client.flushall()));
      for (const result of results) {
        // A replica follows its primary.
        const isReplica = result.status === "rejected" && /^READONLY/.test(result.reason.message);
        if (result.status === "rejected" && !isReplica) throw result.reason;
      }
    },
  };
}

/**
 * A Redis for the test file, with a client to inspect it. With `options`, it is a separate server; otherwise
 * it is a database of the shared server `TEST_REDIS_URL`, if that is set.
 */
export function useRedis(...options: readonly string[]): {
  readonly url: string;
  readonly client: Redis;
  readonly server: RedisServer;
} {
  const own: { server?: RedisServer; client?: Redis; url?: string } = {};
  beforeAll(async () => {
    const shared = process.env.TEST_REDIS_URL;
    if (shared && options.length === 0) {
      own.url = `${shared}/${process.env.VITEST_POOL_ID ?? 0}`;
    } else {
      own.server = await startRedisServer(...options);
      own.url = own.server.url;
    }
    own.client = new Redis(own.url);
    await own.client.flushdb();
  });
  afterAll(async () => {
    own.client?.disconnect();
    await own.server?.stop();
  });
  return {
    get url() {
      return present(own.url, "the URL");
    },
    get client() {
      return present(own.client, "the client");
    },
    get server() {
      return present(own.server, "the server");
    },
  };
}
