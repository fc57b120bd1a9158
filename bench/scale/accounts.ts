import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { ApiKey } from "../../src/access/api-key.ts";
import { encodeBase32 } from "../../src/access/base32.ts";
import { accountIndexKey, accountKey } from "../../src/redis/keys.ts";
import type { Stores } from "../../src/stores.ts";
import { addAccount, addKey } from "../../test/support/accounts.ts";
import { admitAll } from "../cases/limiter.ts";
import { unlimited } from "../data.ts";

/** Accounts that are added together. */
const atOnce = 1_000;
/** Redis looks once a second at what its connections have. */
const settlingMs = 1_500;

/** An account with a key, as the store itself writes it. */
export interface Pattern {
  readonly accountId: string;
  readonly keyHash: string;
  /** Fields of the account's hash, and their values in turn. */
  readonly fields: readonly string[];
}

/** Has the store make an account with a key, to copy it. */
export async function makePattern(stores: Stores, redis: Redis): Promise<Pattern> {
  const accountId = await addAccount(stores, { plan: "enterprise", limits: unlimited });
  const { keyHash } = await addKey(stores, accountId);
  const fields = Object.entries(await redis.hgetall(accountKey(accountId))).flat();
  return { accountId, keyHash, fields };
}

/** The key of one of the accounts, by its number from 0 on. */
export function keyOf(index: number): ApiKey {
  const accountId = encodeBase32(index, 12);
  return { accountId, hash: hash("sha256", accountId, "base64url") };
}

/**
 * Adds the accounts that are missing to a number of them, and has one request of each admitted by the
 * store: that is the proof that they are accounts, and fills their windows.
 *
 * @param progress told how many accounts there are
 * @throws Error when one of them is not admitted
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

/** The fields of another account: its id, its key's id and hash stand where the pattern's did. */
function copyOf({ accountId, keyHash, fields }: Pattern, key: ApiKey): string[] {
  return fields.map((text) =>
    text.replaceAll(accountId, key.accountId).replaceAll(keyHash, key.hash),
  );
}

/** Memory that Redis has in use for what it stores, in bytes: without that of its connections. */
export async function usedMemory(redis: Redis): Promise<number> {
  await sleep(settlingMs);
  const info = await redis.info("memory");
  const value = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1]);
  return value("used_memory") - value("mem_clients_normal");
}
