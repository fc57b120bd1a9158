import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { ApiKey } from "../../src/access/api-key.ts";
import { encodeBase32 } from "../../src/access/base32.ts";
import { accountIndexKey, accountKey } from "../../src/stores/redis/keys.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey } from "../../test/support/accounts.ts";
import { admitAll } from "../cases/limiter.ts";
import { unlimited } from "../data.ts";

/** The number of accounts that are added in one step. */
const atOnce = 1_000;
/** Time until Redis has measured the memory of its connections, which it does once a second. */
const settlingMs = 1_500;

/** An account with a key, as the store writes it. */
export interface Pattern {
  readonly accountId: string;
  readonly keyHash: string;
  /** Alternating names and values of the account's hash. */
  readonly fields: readonly string[];
}

/** Creates an account with a key in the store, as a pattern for copies. */
export async function makePattern(stores: Stores, redis: Redis): Promise<Pattern> {
  const accountId = await addAccount(stores, { plan: "enterprise", limits: unlimited });
  const { keyHash } = await addKey(stores, accountId);
  const fields = Object.entries(await redis.hgetall(accountKey(accountId))).flat();
  return { accountId, keyHash, fields };
}

/** Returns the key of an account by its number, from 0 on. */
export function keyOf(index: number): ApiKey {
  const accountId = encodeBase32(index, 12);
  return { accountId, hash: hash("sha256", accountId, "base64url") };
}

/**
 * Adds accounts up to a number, and has the store admit one request of each. That proves that they are valid, and fills
 * their windows.
 *
 * @param progress called with the number of accounts so far
 * @throws Error if a request is not admitted
 */
export async function addAccounts(
  { admission }: Stores,
  redis: Redis,
  pattern: Pattern,
  from: number,
  to: number,
  progress: (count: number) => void,
): Promise<void> {
  for (let at = from; at < to; at += atOnce) {
    const keys = Array.from({ length: Math.min(atOnce, to - at) }, (_, index) => keyOf(at + index));
    const pipeline = redis.pipeline();
    for (const key of keys) {
      pipeline.zadd(accountIndexKey, at, key.accountId);
      pipeline.hset(accountKey(key.accountId), ...copyOf(pattern, key));
    }
    await pipeline.exec();
    await admitAll(admission, keys);
    progress(at + keys.length);
  }
}

/** Returns the fields of another account: the pattern's, with its own id, key id and key hash. */
function copyOf({ accountId, keyHash, fields }: Pattern, key: ApiKey): string[] {
  return fields.map((text) =>
    text.replaceAll(accountId, key.accountId).replaceAll(keyHash, key.hash),
  );
}

/** Returns the memory that Redis uses for its data, without connections, in bytes. */
export async function usedMemory(redis: Redis): Promise<number> {
  await sleep(settlingMs);
  const info = await redis.info("memory");
  const value = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1]);
  return value("used_memory") - value("mem_clients_normal");
}
