import { banLadderMs } from "../access/bans.ts";
import { hourMs, minuteMs } from "../call/durations.ts";
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
import { lastingSettings } from "../stores/redis/stock/inventory-store.ts";
import { createRedisUsageStore } from "../stores/redis/usage/usage-store.ts";
import { keyRecord } from "./check-accounts.ts";
import type { Found } from "./finding.ts";
import type { StoredAccount } from "./read-data.ts";

/** After this time, a process that runs has reported a ban, in milliseconds. */
const banReportedMs = 2 * minuteMs;

/**
 * Makes a check of the index of the accounts and the lists of bans. On a cluster, a failover can lose an entry of the
 * index and keep its account, or undo a deletion that has left the index.
 *
 * @param connection for reads and repairs of one command. An abort of it does not stop the repair of a deletion halfway:
 * after a part of a deletion, nothing would show what is left to delete
 * @param whole the connection for such repairs
 * @param now the time of Redis in milliseconds since the epoch
 * @param found called with each disagreement
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

  /** Checks whether the index has an account that exists. */
  async function checkListed({ accountId, fields, listedAt, isDeleted }: StoredAccount) {
    const { plan, created } = fields;
    const name = `account ${accountId}`;
    const repair = () => amend(accountId);
    if (isDeleted && listedAt !== undefined) {
      await found(`${name} was deleted, but is in the index`);
    } else if (isDeleted && plan) {
      await found(`${name} was deleted, but is there again`, repair);
    } else if (listedAt === undefined && plan && created) {
      await found(`${name} is not in the index`, repair);
    } else if (listedAt === undefined && (plan || created)) {
      await found(`${name} is not in the index, and has no plan or no time of creation`);
    }
  }

  /** Checks whether an account without an entry in the index has no orders: a deletion removes the entry last. */
  async function checkOwner({ accountId, isDeleted }: StoredAccount): Promise<void> {
    const key = ordersKey(accountId);
    const count = await connection.run(key, (redis) => redis.zcard(key));
    if (count === 0) return;
    const problem = `account ${accountId} has ${count} orders, but does not exist`;
    if (isDeleted) await found(problem, () => orders.deleteAll(accountId));
    else await found(`${problem}: run inventory accounts delete ${accountId}`);
  }

  /**
   * Checks an entry of the index whose account does not exist. CreateAccount leaves one if it is interrupted after the
   * entry and before the account. Its caller has not received the account id. CreateAccount writes the account a moment
   * after the entry, at most an hour. If the account has orders, only an operator can decide.
   */
  async function checkEntry(accountId: string, listedAt: number): Promise<void> {
    if (listedAt >= now - minuteMs) return;
    const problem = `account ${accountId} is in the index, but does not exist`;
    const key = ordersKey(accountId);
    if ((await connection.run(key, (redis) => redis.exists(key))) === 1) {
      await found(`${problem}: run inventory accounts delete ${accountId}`);
    } else if (listedAt > now - hourMs) {
      await found(`${problem}: run inventory verify --repair an hour after its creation`);
    } else {
      await found(problem, () =>
        connection.change(accountIndexKey, (redis) => redis.zrem(accountIndexKey, accountId)),
      );
    }
  }

  async function checkBans({ accountId, fields }: StoredAccount): Promise<void> {
    const banned = Object.values(fields).flatMap((value) => {
      const [, keyId = "", , , , level, end] = keyRecord.exec(value) ?? [];
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
      await found(`key ${ban.keyId} is banned, but the list of bans does not say so`, () =>
        addUsage({ counts: [], bans: [ban] }),
      );
    }
  }

  return {
    /** Checks accounts as they are stored. */
    async check(stored: readonly StoredAccount[]): Promise<void> {
      for (const each of stored) {
        await checkListed(each);
        const exists = Object.keys(each.fields).length > 0;
        if (!exists && each.listedAt === undefined) await checkOwner(each);
        else if (!exists) await checkEntry(each.accountId, each.listedAt ?? 0);
        if (each.fields.plan !== undefined) await checkBans(each);
      }
    },

    /** Writes again what follows from an account: its entry in the index, and the number of its keys. */
    async repair(accountId: string): Promise<void> {
      await countKeys([accountKey(accountId)], []);
      await amend(accountId);
    },
  };
}
