import { Redis } from "ioredis";
import type { Limits } from "../src/access/plans.ts";
import type { Item } from "../src/stores/inventory-store.ts";
import { createRedisStores } from "../src/stores/redis/stores.ts";
import type { Stores } from "../src/stores/stores.ts";
import { addAccount, addKey } from "../test/support/accounts.ts";
import { petStatus } from "./item-status.ts";
import { type BenchItem, benchItems } from "./items.ts";
import { peerItemsKey, peerKey, tunedItemsKey } from "./peers/support/store.ts";

/** API keys of ordinary accounts: the limiter checks each request in full. */
export interface Data {
  /** Keys of 100 accounts that never reach their limits. */
  readonly keys: readonly string[];
  /** Keys of 100 accounts that have used up their day limit and are never banned: always 429. */
  readonly spentKeys: readonly string[];
  /** The key of an account that is about to reach its minute limit. */
  readonly greedyKey: string;
}

const accounts = 100;
/** The highest limits that an account can have. */
export const unlimited: Limits = { perMinute: 1_000_000, perDay: 1_000_000_000 };
/** One request a day. The high minute limit prevents bans, which follow more refusals than that in a minute. */
const oneADay: Limits = { perMinute: 1_000_000, perDay: 1 };
/** The limit of the greedy account: 1,000 requests a second, a tenth of what it sends. */
export const greedyLimits: Limits = { perMinute: 60_000, perDay: 1_000_000_000 };

/** Empties Redis and fills it for a case, for our server and for its peers. */
export async function seed(redisUrl: string, itemCount: number): Promise<Data> {
  const redis = new Redis(redisUrl);
  const stores = createRedisStores(redisUrl);
  try {
    await redis.flushall();
    await stores.ready(5_000);
    await addItems(stores, redis, itemCount);
    const keys = await addKeys(stores, "aa", unlimited);
    await redis.mset(keys.flatMap(({ secret }, index) => [peerKey(secret), `account-${index}`]));
    const spent = await addKeys(stores, "bb", oneADay);
    await Promise.all(
      spent.map(({ accountId, keyHash }) => stores.admission.admitKey(accountId, keyHash)),
    );
    const greedy = await addLimitedKey(stores, "ccaaaaaaaaaa", greedyLimits);
    return {
      keys: keys.map(({ secret }) => secret),
      spentKeys: spent.map(({ secret }) => secret),
      greedyKey: greedy.secret,
    };
  } finally {
    await stores.close();
    redis.disconnect();
  }
}

async function addItems(stores: Stores, redis: Redis, count: number): Promise<void> {
  const items = benchItems(count);
  for (let at = 0; at < count; at += 1_000) {
    const page = items.slice(at, at + 1_000);
    await stores.catalog.put(page.map(storedItem));
    const fields = Object.fromEntries(
      page.map((item) => [item.petId, `${item.quantity},${item.status}`]),
    );
    await redis.hset(peerItemsKey, fields);
    await redis.hset(tunedItemsKey, { ...fields, version: "1" });
  }
}

/** Converts an item to the form that the store takes. */
export function storedItem({ petId, quantity, status }: BenchItem): Item {
  return { petId: BigInt(petId), quantity, status: petStatus(status) };
}

function addKeys(stores: Stores, prefix: string, limits: Limits) {
  return Promise.all(
    Array.from({ length: accounts }, (_, index) =>
      addLimitedKey(stores, prefix + String(index).padStart(10, "0"), limits),
    ),
  );
}

async function addLimitedKey(stores: Stores, accountId: string, limits: Limits) {
  await addAccount(stores, { plan: "enterprise", limits }, accountId);
  const { secret, keyHash } = await addKey(stores, accountId);
  return { accountId, secret, keyHash };
}
