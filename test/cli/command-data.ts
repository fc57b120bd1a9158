import { beforeEach } from "vitest";
import type { Stores } from "../../src/stores/stores.ts";
import { useDirectory } from "../support/directory.ts";
import { useReadyStores, type useRedis } from "../support/stores.ts";

export interface CommandData {
  /** The stores in Redis, empty before each test. */
  readonly stores: Stores;
  readonly directory: string;
}

/** Opens the stores and makes a directory before the tests, and removes both after them. Call it once in a test file. */
export function useCommandData(redis: ReturnType<typeof useRedis>): CommandData {
  const directory = useDirectory();
  const own = useReadyStores(redis);
  beforeEach(async () => {
    await redis.client.flushall();
    await redis.client.set("inv:format", 1);
  });
  return Object.assign(own, { directory });
}
