import { accountOfKeyId, keyHashLength } from "../access/api-key.ts";
import { banLadderMs } from "../access/bans.ts";
import { restrictedBit, scopeMask, scopes } from "../access/scopes.ts";
import { dayMs, hourMs, minuteMs } from "../common/durations.ts";
import { createAccountIndex } from "../stores/redis/accounts/account-index.ts";
import { createRedisAccountStore } from "../stores/redis/accounts/account-store.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import { createRedisHoldStore } from "../stores/redis/holds/hold-store.ts";
import {
  accountIndexKey,
  accountKey,
  bansKey,
  ordersKey,
  partitionOf,
} from "../stores/redis/keys.ts";
import { createRedisOrderStore } from "../stores/redis/orders/order-store.ts";
import { loadWriteScript } from "../stores/redis/scripts.ts";
import { lastingSettings } from "../stores/redis/stock/change-script.ts";
import { createRedisUsageStore } from "../stores/redis/usage/usage-store.ts";
import type { Found, Report } from "./finding.ts";
import type { StoredAccount } from "./read-data.ts";
import type { AccountEntry } from "./records.ts";

const plan = /^(?:disabled \d+ )?(?:free|pro|business|enterprise [1-9]\d* [1-9]\d*)(?: strict)?$/;
/** A valid record of a key (see accounts.lua): its id, scopes, expiry, revocation, level of ban, and end of the ban. */
const keyRecord = /^(\S+) (\d+) \d+ (\d+) (\d+) (\d+) (\d+)$/;
const keyInfo = /^(\S+) (\d+) /;
/** The networks of a restricted key (see network.ts). */
const keyNetworks = /^(?:(?:4[01]{0,32}|6[01]{0,128})(?: (?!$)|$))+$/;
const keyHash = /^[A-Za-z0-9_-]{43}$/;

/** The names of the fields of an account, but for the records of its keys. */
const fieldName = /^(?:[ia]:|(?:name|plan|created|keys)$)/;

/** Checks an account and its keys (see accounts.lua). @returns the number of its keys */
export function checkAccount({ account, created, fields }: AccountEntry, report: Report): number {
  const name = `account ${account}`;
  if (fields.name === undefined || !plan.test(fields.plan ?? "")) {
    report(`${name} has no name or no valid plan`);
  }
  if (!/^\d+$/.test(fields.created ?? "")) {
    report(`${name} has no time of creation`);
  } else if (Number(fields.created) !== created) {
    report(`${name} was created at ${fields.created}, but the index has ${created}`, account);
  }
  let keys = 0;
  const hashes = new Set<string>();
  for (const [field, value] of Object.entries(fields)) {
    if (!field.startsWith("i:")) continue;
    keys += 1;
    const keyId = field.slice(2);
    const key = `key ${keyId}`;
    const [, hash = "", createdAt] = keyInfo.exec(value) ?? [];
    const [, owner, ...numbers] = keyRecord.exec(fields[hash] ?? "") ?? [];
    if (hashes.has(hash)) report(`${key} has the hash of another key`);
    hashes.add(hash);
    if (accountOfKeyId(keyId) !== account) report(`${key} is not of account ${account}`);
    if (owner !== keyId || !keyHash.test(hash)) {
      report(`${key} has no valid record`);
      continue;
    }
    const [mask = 0, expires = 0, revoked = 0, level = 0, banned = 0] = numbers.map(Number);
    const scopeBits = mask & ~restrictedBit;
    if (scopeBits < 1 || scopeBits > scopeMask(scopes)) {
      report(`${key} has the scopes ${mask}, which cannot be`);
    }
    const networks = fields[`a:${keyId}`];
    if (mask === scopeBits ? networks !== undefined : !keyNetworks.test(networks ?? "")) {
      report(`${key} has no valid networks`);
    }
    // The clocks of two servers of Redis may differ: a failover changes the clock.
    if ([expires, revoked].some((at) => at !== 0 && at < Number(createdAt) - dayMs)) {
      report(`${key} expires, or was revoked, before it was created`);
    }
    if (level > banLadderMs.length || level > 0 !== banned > 0) {
      report(`${key} has the level of ban ${level}, which cannot be`);
    }
  }
  for (const field of Object.keys(fields)) {
    if (!(field.length === keyHashLength ? hashes.has(field) : fieldName.test(field))) {
      report(`${name} has the field ${field}, which cannot be`);
    }
  }
  if (Number(fields.keys ?? 0) !== keys) {
    report(`${name} has ${keys} keys, but counts ${fields.keys ?? 0}`, account);
  }
  return keys;
}

/**
 * Makes a check of the index of the accounts and the lists of bans. On a cluster, a failover can lose an entry of the
 * index and keep its account, or undo a deletion that has left the index.
 *
 * @param connection for reads and repairs of one command
 * @param whole a connection that no abort stops halfway, for deletions: nothing would show what is left to delete
 * @param now the time of Redis in milliseconds since the epoch
 */
export function createAccountCheck(
  connection: Connection,
  whole: Connection,
  now: number,
  found: Found,
) {
  const orders = createRedisOrderStore(whole, lastingSettings);
  const accounts = createRedisAccountStore(whole, undefined);
  const holds = createRedisHoldStore(whole, lastingSettings);
  const { amend } = createAccountIndex(whole, accounts, orders, holds);
  const { add: addUsage } = createRedisUsageStore(connection, undefined, () => {});
  const countKeys = loadWriteScript(connection, "count-keys");

  /** Checks whether the index has exactly the accounts that exist. */
  async function checkAccount(stored: StoredAccount): Promise<void> {
    const { accountId, listedAt, isDeleted } = stored;
    const { plan, created } = stored.fields;
    const name = `account ${accountId}`;
    const repair = () => amend(accountId);
    if (isDeleted && listedAt !== undefined) {
      await found(`${name} was deleted, but is in the index`);
    } else if (isDeleted && plan) {
      await found(`${name} was deleted, but is there again`, repair);
    } else if (listedAt === undefined && plan && created) {
      await found(`${name} is not in the index`, repair);
    }
    if (Object.keys(stored.fields).length === 0) await checkRest(stored);
    if (plan) await checkBans(stored);
  }

  /**
   * Checks what is left of an account that does not exist. A deletion removes the orders, and the entry of the index last.
   * CreateAccount leaves an entry if it is interrupted before it writes the account, at most an hour after the entry.
   */
  async function checkRest({ accountId, listedAt, isDeleted }: StoredAccount): Promise<void> {
    const key = ordersKey(accountId);
    const count = await connection.run(key, (redis) => redis.zcard(key));
    const problem = `account ${accountId} has ${count} orders, but does not exist`;
    const left = `account ${accountId} is in the index, but does not exist`;
    if (count > 0 && isDeleted) await found(problem, () => orders.deleteAll(accountId));
    else if (count > 0) await found(`${problem}: run inventory accounts delete ${accountId}`);
    else if (listedAt === undefined || listedAt >= now - minuteMs) return;
    else if (listedAt > now - hourMs) {
      await found(`${left}: run inventory verify --repair an hour after its creation`);
    } else {
      await found(left, () =>
        connection.change(accountIndexKey, (redis) => redis.zrem(accountIndexKey, accountId)),
      );
    }
  }

  async function checkBans({ accountId, fields }: StoredAccount): Promise<void> {
    const key = bansKey(partitionOf(accountId));
    for (const value of Object.values(fields)) {
      const [, keyId = "", , , , level, end] = keyRecord.exec(value) ?? [];
      const until = Number(end);
      const since = until - (banLadderMs[Number(level) - 1] ?? 0);
      // A process that runs has reported a ban within two minutes.
      const isReported = until > now && since + 2 * minuteMs < now;
      if (!isReported || fields[`i:${keyId}`] === undefined) continue;
      const score = await connection.run(key, (redis) => redis.zscore(key, keyId));
      if (Number(score) === until) continue;
      await found(`key ${keyId} is banned, but the list of bans does not say so`, () =>
        addUsage({ counts: [], bans: [{ keyId, since, until }] }),
      );
    }
  }

  return {
    async check(stored: readonly StoredAccount[]): Promise<void> {
      for (const each of stored) await checkAccount(each);
    },
    /** Writes again what follows from an account: its entry in the index, and the number of its keys. */
    async repair(accountId: string): Promise<void> {
      await countKeys([accountKey(accountId)], []);
      await amend(accountId);
    },
  };
}
