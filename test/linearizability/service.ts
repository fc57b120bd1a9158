import { beforeAll } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { InventoryStore } from "../../src/inventory/inventory-store.ts";
import { createRedisStores } from "../../src/redis/stores.ts";
import { type ServerProcess, useServers } from "../faults/server-process.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import type { RedisServer } from "../support/redis-server.ts";
import { useRedis } from "../support/stores.ts";
import { type Initial, pets } from "./history.ts";

/** The service as it runs in production: several processes on one durable Redis. */
export interface Service {
  readonly redis: RedisServer;
  /** A key with no limit to speak of. */
  readonly key: string;
  /** How the stock was at first. */
  readonly initial: Initial;
  /** Starts a server on a free port. */
  startServer(): Promise<ServerProcess>;
  /** Looks into the stock from beside the servers. */
  look<T>(into: (inventory: InventoryStore) => Promise<T>): Promise<T>;
}

/**
 * To be called within a `describe`.
 *
 * @param main the program, when it is not this repository's
 */
export function useService(main?: string): Service {
  const redis = useRedis("--appendonly", "yes", "--appendfsync", "always");
  const servers = useServers(main);
  const own: { key?: string; initial?: Initial } = {};
  beforeAll(async () => {
    redis.client.on("error", () => {}); // it connects again, as the servers do
    const stores = createRedisStores(redis.url);
    await stores.ready(5_000);
    const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
    const account = await addAccount(stores, { plan: "enterprise", limits });
    own.key = (await addKey(stores, account)).secret;
    const added = [];
    for (const pet of pets) {
      const item = { petId: BigInt(pet), quantity: 10 * pet, status: PetStatus.AVAILABLE };
      const version = await stores.inventory.create(item);
      added.push({ quantity: item.quantity, version: Number(version) });
    }
    own.initial = { version: added.at(-1)?.version ?? 0, pets: added };
    await stores.close();
  });
  return {
    get redis() {
      return redis.server;
    },
    get key() {
      return present(own.key);
    },
    get initial() {
      return present(own.initial);
    },
    // What is checked is kept whole: no change of the run is forgotten.
    startServer: () => servers.start({ REDIS_URL: redis.url, HISTORY_LENGTH: "100000000" }),
    async look(into) {
      const stores = createRedisStores(redis.url);
      try {
        await stores.ready(5_000);
        return await into(stores.inventory);
      } finally {
        await stores.close();
      }
    },
  };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the service runs only while tests do");
  return value;
}
