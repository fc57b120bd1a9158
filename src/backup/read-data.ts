import type { Redis } from "ioredis";
import { createTrailReader } from "../stores/redis/audit/audit-store.ts";
import { createChangedReader } from "../stores/redis/catalog/entry-cache.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import * as keys from "../stores/redis/keys.ts";
import { pairsOf } from "../stores/redis/pairs.ts";
import { loadScript } from "../stores/redis/scripts.ts";
import { storedKeys } from "../stores/redis/stored-keys.ts";
import {
  type ChangeRecord,
  type HoldEntry,
  type LastOrder,
  type NamesRecord,
  type OrderEntry,
  paddedId,
  parseOrder,
} from "./records.ts";

/** The highest numbers of records that one command reads. With them, it blocks Redis for about a millisecond. */
const changesAtOnce = 200;
const ordersAtOnce = 1_000;
const holdsAtOnce = 500;

/** The most entries that one command reads or compares. It takes Redis about a millisecond. */
const entriesAtOnce = 500;

/** Scans a key, page by page. @returns fields of a hash with their values, or members of a sorted set with their scores */
export async function* scanned(
  connection: Connection,
  key: string,
  type: "hash" | "zset",
): AsyncGenerator<[entry: string, value: string][]> {
  let cursor = "0";
  do {
    const [next, reply] = await connection.run(key, (redis) =>
      type === "hash"
        ? redis.hscan(key, cursor, "COUNT", entriesAtOnce)
        : redis.zscan(key, cursor, "COUNT", entriesAtOnce),
    );
    cursor = next;
    if (reply.length > 0) yield pairsOf(reply);
  } while (cursor !== "0");
}

/**
 * Sends one command for each name of a key, all in one write to each server. Returns the replies in the order of the names.
 *
 * @param names at most about a thousand
 * @param perform `connection.change` for changes
 */
export function forEachKey<T>(
  connection: Connection,
  names: readonly string[],
  send: (redis: Redis, key: string, at: number) => Promise<T>,
  perform = connection.run,
): Promise<T[]> {
  return Promise.all(names.map((key, at) => perform(key, (redis) => send(redis, key, at))));
}

/** Entries of the history, and holds that changed in the meantime. */
export type ChangesPage = Awaited<ReturnType<DataReader["changes"]>>;

/** An account, as its hash and the indexes of the accounts have it. */
export interface StoredAccount {
  readonly accountId: string;
  /** Empty if the account does not exist. */
  readonly fields: Readonly<Record<string, string>>;
  /** The time of creation that the index has, in milliseconds since the epoch; undefined if it lacks the account. */
  readonly listedAt: number | undefined;
  /** Whether the deletion of the account is remembered. */
  readonly isDeleted: boolean;
}

const noNames = { sku: "", name: "" };

type Entry = readonly [id: string, fields: readonly string[]];

/** The reply of export_history in history.lua. */
type ExportReply = [string, readonly Entry[], string, string, string, readonly string[], string];

export type DataReader = ReturnType<typeof createDataReader>;

/** Makes what reads the data as it is stored, page by page. Its functions throw ConnectError unavailable. */
export function createDataReader(connection: Connection) {
  const exportHistory = loadScript(connection, "export-history");
  const exportOrders = loadScript(connection, "export-orders");
  const readOrders = loadScript(connection, "read-orders");
  const changedAfter = createChangedReader(connection);

  /** Reads a hash, in pages. A field that Redis returns twice, because the hash shrinks, is there once. */
  async function* wholeHash(key: string): AsyncGenerator<[field: string, value: string][]> {
    const seen = new Set<string>();
    for await (const page of scanned(connection, key, "hash")) {
      yield page.filter(([field]) => !seen.has(field) && seen.add(field));
    }
  }

  return {
    /**
     * Reads entries of the history.
     *
     * @param after the id of the entry before them; undefined to begin at the oldest
     * @param endedAfter the place in the index of the holds to begin after; undefined to read no holds
     */
    async changes(after: string | undefined, endedAfter?: string) {
      const reply = await exportHistory(
        [keys.newestChangeKey, keys.stockChangesKey, keys.holdsKey, keys.holdIndexKey],
        [after ?? "", changesAtOnce, endedAfter ?? "", holdsAtOnce],
      );
      const [newest, found, trimmed, endingNow, more, holds, heldUnits] = reply as ExportReply;
      const entries = found.map(([change, fields]): ChangeRecord => {
        return { change, fields: Object.fromEntries(pairsOf(fields)) };
      });
      return {
        entries,
        /** Whether the history and the index of the holds have no more. */
        isLast: countChanges(entries) < changesAtOnce && more === "",
        /** The id of the newest entry that the stock has at the time of the read. */
        newest,
        /** The id of the last entry that was trimmed; empty if none was. */
        trimmed,
        /** The place in the index of the holds from which on it has those that end now. */
        endingNow,
        /** The place to go on from; undefined if the index has no more of the holds that ended. */
        moreEnded: more || undefined,
        /** Those that the entries have changed, and those that have ended, as they are now. A deleted one has an empty record. */
        holds: pairsOf(holds).map(([hold, record]): HoldEntry => ({ hold, record })),
        /** How many units of all pets are held at the time of the read, as they are counted. */
        heldUnits,
      };
    },
    items: () => wholeHash(keys.itemsKey),
    /** Reads all holds, and the numbers of held units (see hold-record.lua), in pages. */
    holdFields: () => wholeHash(keys.holdsKey),
    /** Reads the names of all pets, in pages. */
    async *names(): AsyncGenerator<NamesRecord[]> {
      for await (const page of wholeHash(keys.petNamesKey)) {
        yield page.map(([named, names]) => ({ named, names }));
      }
    },
    async catalogVersion() {
      const [last] = await connection.run(keys.catalogChangesKey, (redis) =>
        redis.xrevrange(keys.catalogChangesKey, "+", "-", "COUNT", 1),
      );
      return BigInt(last?.[0].split("-")[0] ?? "0");
    },
    /** Reads the names that have changed after a version of the catalogue, up to another one; undefined if they are not known. */
    async changedNames(after: bigint) {
      const changed = await changedAfter(after);
      if (!changed) return undefined;
      const names = changed.lines.map(
        ({ petId, entry: { sku, name } = noNames }): NamesRecord => ({
          named: String(petId),
          names: sku === "" && name === "" ? "" : `${sku}\t${name}`,
        }),
      );
      return { version: changed.version, more: changed.more, names };
    },
    /** Reads the names of all keys, in pages. A key can be there twice. */
    keys: () => storedKeys(connection),
    /** Reads the ids of the accounts in the index, in pages. */
    async *listedAccounts(): AsyncGenerator<string[]> {
      const pages = scanned(connection, keys.accountIndexKey, "zset");
      for await (const page of pages) yield page.map(([accountId]) => accountId);
    },
    /** Reads accounts. @param accountIds at most some hundred */
    async accounts(accountIds: readonly string[]): Promise<StoredAccount[]> {
      if (accountIds.length === 0) return [];
      const scoresIn = (key: string) =>
        connection.run(key, (redis) => redis.zmscore(key, ...accountIds));
      // In the order of a deletion from its end, so that an account that is deleted in the meantime does not exist.
      const deleted = await scoresIn(keys.deletedAccountsKey);
      const listed = await scoresIn(keys.accountIndexKey);
      const found = await forEachKey(connection, accountIds.map(keys.accountKey), (redis, key) =>
        redis.hgetall(key),
      );
      return accountIds.map((accountId, at) => ({
        accountId,
        fields: found[at] ?? {},
        listedAt: typeof listed[at] === "string" ? Number(listed[at]) : undefined,
        isDeleted: typeof deleted[at] === "string",
      }));
    },
    async *orders(accountIds: readonly string[]): AsyncGenerator<OrderEntry[]> {
      let left = accountIds;
      let after = "";
      while (left.length > 0) {
        const reply = await exportOrders(left.map(keys.ordersKey), [after, ordersAtOnce]);
        const lists = reply as string[][];
        const found = lists.flatMap((orders, index) =>
          orders.map((order) => ({ order, of: left[index] as string })),
        );
        if (found.length > 0) yield found;
        const isPartial = found.length === ordersAtOnce;
        after = (isPartial && found.at(-1)?.order) || "";
        left = left.slice(isPartial ? lists.length - 1 : lists.length);
      }
    },
    /** Reads the references of orders of an account. That of an order which does not exist any more is empty. */
    async references(accountId: string, orderIds: readonly number[]) {
      const references: string[] = [];
      for (let at = 0; at < orderIds.length; at += ordersAtOnce) {
        const ids = orderIds.slice(at, at + ordersAtOnce).map((id) => paddedId(String(id)));
        const own = ids.map(() => keys.ordersKey(accountId));
        for (const order of (await readOrders(own, ids)) as readonly (string | null)[]) {
          references.push(parseOrder(order ?? "")?.reference ?? "");
        }
      }
      return references;
    },
    async lastOrder(): Promise<LastOrder> {
      const [lastOrder, removedOrders] = await connection.run(keys.lastOrderKey, (redis) =>
        Promise.all([redis.get(keys.lastOrderKey), redis.get(keys.removedOrdersKey)]),
      );
      return { lastOrder: lastOrder ?? "0", ...(removedOrders !== null && { removedOrders }) };
    },
    audit: createTrailReader(connection),
    /** Returns the approximate numbers of items, accounts and entries of the history. */
    async sizes() {
      const [accounts, items, entries] = await Promise.all([
        connection.run(keys.accountIndexKey, (redis) => redis.zcard(keys.accountIndexKey)),
        connection.run(keys.itemsKey, (redis) => redis.hlen(keys.itemsKey)),
        connection.run(keys.stockChangesKey, (redis) => redis.xlen(keys.stockChangesKey)),
      ]);
      return { items, accounts, entries };
    },
  };
}

export function countChanges(entries: readonly ChangeRecord[]): number {
  let count = 0;
  for (const { fields } of entries) count += (fields.changes ?? "").split(";").length - 1;
  return count;
}
