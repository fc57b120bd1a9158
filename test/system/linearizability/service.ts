import { beforeAll } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { present } from "../../../src/common/present.ts";
import type { InventoryStore } from "../../../src/stores/inventory-store.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import type { RedisServer } from "../harness/redis-server.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { type Initial, otherIds, pets } from "./history.ts";

/** The scopes that the workload needs. */
const scopes = ["inventory:read", "inventory:write", "store:read", "store:write", "admin"] as const;

/** The initial quantity of the other pets. */
const otherItem = { quantity: 0, status: PetStatus.AVAILABLE };

interface ServiceOptions {
  /** The program; default: this repository's. */
  readonly main?: string;
  /** True if the stock also has the pets of {@link otherIds}. */
  readonly hasOthers?: boolean;
}

/** A service of several processes on one durable Redis, as in production. */
export interface Service {
  readonly redis: RedisServer;
  /** A key without practical limits. */
  readonly key: string;
  /** The initial stock. */
  readonly initial: Initial;
  /** Starts a server on a free port. */
  startServer(): Promise<ServerProcess>;
  /** Reads the stock directly from Redis, not through the servers. */
  look<T>(into: (inventory: InventoryStore) => Promise<T>): Promise<T>;
}

/** Sets up Redis and the stock before the tests. Call it within a `describe`. */
export function useService({ main, hasOthers = false }: ServiceOptions = {}): Service {
  const redis = useRedis("--appendonly", "yes", "--appendfsync", "always");
  const servers = useServers(main);
  const own: { key?: string; initial?: Initial } = {};
  const open = async () => {
    const stores = openRedisStores(redis.url);
    await stores.ready(5_000);
    return stores;
  };
  beforeAll(async () => {
    redis.client.on("error", () => {}); // the client reconnects
    const stores = await open();
    const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
    const account = await addAccount(stores, { plan: "enterprise", limits });
    own.key = (await addKey(stores, account, { scopes })).secret;
    const others = { count: hasOthers ? otherIds.length : 0, quantity: 0 };
    if (hasOthers) await stores.catalog.put(otherIds.map((petId) => ({ petId, ...otherItem })));
    const added = [];
    for (const pet of pets) {
      const item = { petId: BigInt(pet), quantity: 10 * pet, status: PetStatus.AVAILABLE };
      const version = await stores.catalog.create(item);
      added.push({ quantity: item.quantity, version: Number(version) });
    }
    own.initial = { version: added.at(-1)?.version ?? 0, pets: added, others };
    await stores.close();
  });
  return {
    get redis() {
      return redis.server;
    },
    get key() {
      return present(own.key, "the key");
    },
    get initial() {
      return present(own.initial, "the stock");
    },
    // The history is not trimmed, because the check needs all changes.
    startServer: () => servers.start({ REDIS_URL: redis.url, HISTORY_LENGTH: "100000000" }),
    async look(into) {
      const stores = await open();
      try {
        return await into(stores.inventory);
      } finally {
        await stores.close();
      }
    },
  };
}
