import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Stores } from "../../src/stores/stores.ts";
import { useDirectory } from "../support/directory.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import type { useRedis } from "../support/stores.ts";

export interface CommandData {
  /** The stores in Redis, empty before each test. */
  readonly stores: Stores;
  readonly directory: string;
}

/** Opens the stores and makes a directory before the tests, and removes both after them. Call it once in a test file. */
export function useCommandData(redis: ReturnType<typeof useRedis>): CommandData {
  const directory = useDirectory();
  const own: { stores?: Stores } = {};
  beforeAll(async () => {
    own.stores = openRedisStores(redis.url);
    await own.stores.ready(5_000);
  });
  afterAll(() => own.stores?.close());
  beforeEach(async () => {
    await redis.client.flushall();
    await redis.client.set("inv:format", 1);
  });
  return {
    get stores() {
      if (!own.stores) throw new Error("Use the stores only while a test runs.");
      return own.stores;
    },
    directory,
  };
}
