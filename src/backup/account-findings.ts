import { banLadderMs } from "../access/bans.ts";
import { hourMs, minuteMs } from "../call/durations.ts";
import type { AccountIndex } from "../stores/redis/accounts/account-index.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import {
  accountIndexKey,
  accountKey,
  accountOfKey,
  accountOfOrdersKey,
  bansKey,
  ordersKey,
  partitionOf,
} from "../stores/redis/keys.ts";
import { loadWriteScript } from "../stores/redis/scripts.ts";
import type { createRedisUsageStore } from "../stores/redis/usage/usage-store.ts";
import { type Finding, forEachKey, scanned } from "./finding.ts";

/** What these checks use. */
export interface AccountChecks {
  readonly connection: Connection;
  readonly index: AccountIndex;
  readonly addUsage: ReturnType<typeof createRedisUsageStore>["add"];
  readonly deleteOrders: (accountId: string) => Promise<unknown>;
}

type Fields = Readonly<Record<string, string>>;

/** After this time, a process that runs has reported a ban, in milliseconds. */
const banReportedMs = 2 * minuteMs;

/** A valid record of a key: its id, level of ban, and end of the ban (see key.lua). */
const keyRecord = /^(\S+) \d+ \d+ \d+ \d+ (\d+) (\d+)$/;

/**
 * Makes a check of the accounts among a page of keys: whether the index has them. On a cluster, a failover can lose an
 * entry of the index and keep its account, or undo a deletion that has left the index.
 */
export function createListedCheck({ connection, index }: AccountChecks) {
  return async function* (keys: readonly string[]): AsyncGenerator<Finding> {
    const accountIds = new Set<string>();
    for (const key of keys) {
      const accountId = accountOfKey(key);
      if (accountId === undefined) continue;
      if (key === accountKey(accountId)) accountIds.add(accountId);
      else
        yield { problem: `${key} is not in the partition of its account: no request can use it` };
    }
    // In this order, an account that is deleted in the meantime counts as unlisted, and then has no plan.
    const deleted = new Set(await index.deleted([...accountIds]));
    const unlisted = await index.unlisted([...accountIds]);
    const found = await forEachKey(connection, unlisted.map(accountKey), (redis, key) =>
      redis.hmget(key, "plan", "created"),
    );
    for (const [at, accountId] of unlisted.entries()) {
      const [plan, created] = found[at] ?? [];
      const repair = () => index.amend(accountId);
      if (deleted.has(accountId)) {
        // Without a plan, it was deleted in the meantime.
        if (plan) yield { problem: `account ${accountId} was deleted, but is there again`, repair };
      } else if (plan && created) {
        yield { problem: `account ${accountId} is not in the index`, isHidden: true, repair };
      } else if (plan || created) {
        const problem = `account ${accountId} is not in the index, and has no plan or no time of creation`;
        yield { problem, isHidden: true };
      }
    }
    const listed = [...deleted].filter((accountId) => !unlisted.includes(accountId));
    for (const accountId of listed) {
      yield { problem: `account ${accountId} was deleted, but is in the index` };
    }
  };
}

/** Makes a check of the accounts among a page of keys: their entry in the index, their number of keys, and bans. */
export function createAccountCheck({ connection, index, addUsage }: AccountChecks) {
  const countKeys = loadWriteScript(connection, "count-keys");

  async function* bansOf(accountId: string, fields: Fields, now: number): AsyncGenerator<Finding> {
    const banned = Object.values(fields).flatMap((value) => {
      const [, keyId = "", level, end] = keyRecord.exec(value) ?? [];
      const until = Number(end);
      const since = until - (banLadderMs[Number(level) - 1] ?? 0);
      const isOwn = fields[`i:${keyId}`] !== undefined;
      return isOwn && until > now && since + banReportedMs < now ? [{ keyId, since, until }] : [];
    });
    if (banned.length === 0) return;
    const key = bansKey(partitionOf(accountId));
    const keyIds = banned.map(({ keyId }) => keyId);
    const scores = await connection.run(key, (redis) => redis.zmscore(key, ...keyIds));
    for (const [at, ban] of banned.entries()) {
      if (Number(scores[at]) === ban.until) continue;
      yield {
        problem: `key ${ban.keyId} is banned, but the list of bans does not say so`,
        repair: () => addUsage({ counts: [], bans: [ban] }),
      };
    }
  }

  return async function* (keys: readonly string[], now: number): AsyncGenerator<Finding> {
    const accountIds = keys.flatMap((key) => accountOfKey(key) ?? []);
    if (accountIds.length === 0) return;
    const scores = await connection.run(accountIndexKey, (redis) =>
      redis.zmscore(accountIndexKey, ...accountIds),
    );
    const accounts = await forEachKey(connection, accountIds.map(accountKey), (redis, key) =>
      redis.hgetall(key),
    );
    for (const [at, accountId] of accountIds.entries()) {
      const fields: Fields = accounts[at] ?? {};
      if (fields.plan === undefined) continue;
      const score = scores[at];
      if (
        score !== null &&
        fields.created !== undefined &&
        Number(score) !== Number(fields.created)
      ) {
        yield {
          problem: `account ${accountId} was created at another time than the index has`,
          isInRecords: true,
          repair: () => index.amend(accountId),
        };
      }
      const count = Object.keys(fields).filter((name) => name.startsWith("i:")).length;
      if (Number(fields.keys ?? 0) !== count) {
        yield {
          problem: `account ${accountId} counts its keys wrongly`,
          isInRecords: true,
          repair: () => countKeys([accountKey(accountId)], []),
        };
      }
      yield* bansOf(accountId, fields, now);
    }
  };
}

/**
 * Finds entries of the index whose account does not exist. CreateAccount leaves one if it is interrupted after the entry
 * and before the account. Its caller has not received the account id. CreateAccount may be about to write an account
 * whose entry is less than an hour old. An operator must delete an account that has orders.
 */
export async function* entryFindings({ connection }: AccountChecks): AsyncGenerator<Finding> {
  const newestToRemove = Date.now() - hourMs;
  for await (const page of scanned(connection, accountIndexKey, "zset")) {
    for (const [accountId, created] of page) {
      if (Number(created) > newestToRemove) continue;
      const exist = await Promise.all(
        [accountKey(accountId), ordersKey(accountId)].map((key) =>
          connection.run(key, (redis) => redis.exists(key)),
        ),
      );
      if (exist.some((each) => each === 1)) continue;
      const repair = () =>
        connection.change(accountIndexKey, (redis) => redis.zrem(accountIndexKey, accountId));
      const problem = `account ${accountId} is in the index, but does not exist`;
      yield { problem, isInRecords: true, repair };
    }
  }
}

/** Makes a check of the lists of orders among a page of keys: whether their accounts exist. */
export function createOwnerCheck({ connection, index, deleteOrders }: AccountChecks) {
  return async function* (keys: readonly string[]): AsyncGenerator<Finding> {
    const accountIds = keys.flatMap((key) => accountOfOrdersKey(key) ?? []);
    const exist = await forEachKey(connection, accountIds.map(accountKey), (redis, key) =>
      redis.exists(key),
    );
    const ownerless = accountIds.filter((_, at) => exist[at] === 0);
    // The snapshot has the orders of an account that is in the index. A deletion in progress removes the entry last.
    const unlisted = await index.unlisted(ownerless);
    const deleted = new Set(await index.deleted(unlisted));
    const counts = await forEachKey(connection, unlisted.map(ordersKey), (redis, key) =>
      redis.zcard(key),
    );
    for (const [at, accountId] of unlisted.entries()) {
      const problem = `account ${accountId} has ${counts[at]} orders, but does not exist`;
      if (counts[at] === 0) continue;
      if (deleted.has(accountId)) yield { problem, repair: () => deleteOrders(accountId) };
      else yield { problem: `${problem}: run inventory accounts delete ${accountId}` };
    }
  };
}
