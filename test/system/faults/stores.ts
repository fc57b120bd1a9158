import type { Redis } from "ioredis";
import { afterAll, beforeAll } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { defaultScopes, type Scope } from "../../../src/access/scopes.ts";
import type { RedisSettings } from "../../../src/stores/redis/connection/settings.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";

/** Stores of a test, beside the servers that it starts. */
export interface OwnStores {
  readonly stores: Stores;
  /** A key without practical limits. */
  readonly key: string;
}

/**
 * Opens stores before the tests and closes them after the tests. Adds an account, a key, and pet 1 with a quantity of 0. Call it
 * once in a test file, after what starts Redis.
 *
 * @param redis the Redis of the test, which may be killed
 * @param settings returns settings other than those of one server
 * @param scopes the scopes of the key
 */
export function useStores(
  redis: { readonly url: string; readonly client: Redis },
  settings: () => RedisSettings | string = () => redis.url,
  scopes: readonly Scope[] = defaultScopes,
): OwnStores {
  const own: { stores?: Stores; key: string } = { key: "" };
  beforeAll(async () => {
    redis.client.on("error", () => {}); // the client reconnects
    own.stores = openRedisStores(settings());
    await own.stores.ready(5_000);
    const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
    const account = await addAccount(own.stores, { plan: "enterprise", limits }, "vastaaaaaaaa");
    own.key = (await addKey(own.stores, account, { scopes })).secret;
    const pet = { petId: 1n, quantity: 0, status: PetStatus.AVAILABLE };
    await own.stores.catalog.create(pet);
  });
  afterAll(() => own.stores?.close());
  return {
    get stores() {
      if (!own.stores) throw new Error("Use the stores only while a test runs.");
      return own.stores;
    },
    get key() {
      return own.key;
    },
  };
}
