import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createMemoryStores } from "../../src/memory/stores.ts";
import { constantPatience } from "../../src/redis/patience.ts";
import { createRedisStores } from "../../src/redis/stores.ts";
import type { Stores } from "../../src/stores.ts";
import { type RedisServer, startRedisServer } from "./redis-server.ts";

/** A clock that stands still until it is moved. */
export interface DrivenClock {
  /** Milliseconds since the epoch. */
  now: number;
}

/** Empty stores before each test, on a driven clock. */
export interface StoresUnderTest {
  readonly stores: Stores;
  readonly clock: DrivenClock;
}

/** A time in the middle of a minute, an hour and a day. */
export const someTime = Date.UTC(2026, 6, 15, 10, 20, 30, 400);

/** The version of the n-th change of a test, as long as the clock stands still; 0 before the first. */
export function nthVersion(n: number): bigint {
  return n === 0 ? 0n : BigInt(someTime) * 1_000n + BigInt(n - 1);
}

/** One way to have stores. */
export interface StoreKind {
  readonly name: string;
  /** To be called within a `describe`: sets the stores up and takes them down. */
  use(): StoresUnderTest;
}

/** Both adapters of the store ports: every case holds on both. */
export const storeKinds: readonly StoreKind[] = [
  { name: "memory", use: useMemoryStores },
  { name: "redis", use: useRedisStores },
];

function useMemoryStores(): StoresUnderTest {
  const clock = { now: someTime };
  const under: { stores?: Stores } = {};
  beforeEach(() => {
    clock.now = someTime;
    under.stores = createMemoryStores(() => clock.now);
  });
  return lateStores(under, clock);
}

/** These tests are about what the stores do, not how soon: a busy machine is no outage. */
const patience = constantPatience(5_000);

function useRedisStores(): StoresUnderTest {
  const clock = { now: someTime };
  const under: { stores?: Stores } = {};
  const redis = useRedis();
  beforeEach(async () => {
    clock.now = someTime;
    await redis.client.flushdb();
    // A process remembers for a while what Redis replied: another test is another process.
    under.stores = createRedisStores(redis.url, { now: () => clock.now, patience });
    await under.stores.ready(5_000);
  });
  afterEach(() => under.stores?.close());
  return lateStores(under, clock);
}

function lateStores(under: { stores?: Stores }, clock: DrivenClock): StoresUnderTest {
  return {
    clock,
    get stores() {
      if (!under.stores) {
        throw new Error("stores exist only while tests run");
      }
      return under.stores;
    },
  };
}

/** A Redis of the test file's own, with a client to look into it. */
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
      return present(own.url);
    },
    get client() {
      return present(own.client);
    },
    get server() {
      return present(own.server);
    },
  };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new Error("the Redis server exists only while tests run");
  }
  return value;
}
