import { present } from "../call/present.ts";
import { createTrailReader } from "../stores/redis/audit/audit-store.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import {
  accountIndexKey,
  accountKey,
  holdIndexKey,
  holdsKey,
  lastOrderKey,
  newestChangeKey,
  ordersKey,
  petIdsKey,
  removedOrdersKey,
  stockChangesKey,
  stockKeys,
} from "../stores/redis/keys.ts";
import { pairsOf } from "../stores/redis/pairs.ts";
import { loadScript } from "../stores/redis/scripts.ts";
import { forEachKey } from "./finding.ts";
import {
  type AccountEntry,
  type ChangeRecord,
  type HoldEntry,
  type ItemRecord,
  type LastOrder,
  type OrderEntry,
  parseHold,
} from "./records.ts";

/** The highest numbers of records that one command reads. With them, it blocks Redis for about a millisecond. */
const changesAtOnce = 200;
const itemsAtOnce = 1_000;
const accountsAtOnce = 500;
const ordersAtOnce = 1_000;
const holdsAtOnce = 500;

/** Reads the data as it is stored, page by page. */
export type DataReader = ReturnType<typeof createDataReader>;

/** Entries of the history, and holds that changed in the meantime. */
export interface ChangesPage {
  readonly entries: readonly ChangeRecord[];
  /** Whether the history and the index of the holds have no more. */
  readonly isLast: boolean;
  /** The id of the newest entry that the stock has at the time of the read. */
  readonly newest: string;
  /** The id of the last entry that was trimmed; empty if nothing says so, because none was. */
  readonly trimmed: string;
  /** The place in the index of the holds from which on it has those that end now. */
  readonly endingNow: string;
  /** The place to go on from; undefined if the index has no more of the holds that ended. */
  readonly moreEnded: string | undefined;
  /** Those that the entries have changed, and those that have ended, as they are now. A deleted one has an empty record. */
  readonly holds: readonly HoldEntry[];
}

/** An account id in the index. */
export interface AccountPosition {
  readonly accountId: string;
  /** In milliseconds since the epoch. */
  readonly created: number;
}

type Entry = readonly [id: string, fields: readonly string[]];

/** Makes a reader. Its functions throw ConnectError unavailable. */
export function createDataReader(connection: Connection) {
  const exportHistory = loadScript(connection, "export-history");
  const exportItems = loadScript(connection, "export-items");
  const exportHolds = loadScript(connection, "export-holds");
  const exportOrders = loadScript(connection, "export-orders");
  const listAccounts = loadScript(connection, "list-accounts");

  return {
    /**
     * Reads entries of the history.
     *
     * @param after the id of the entry before them; undefined to begin at the oldest
     * @param endedAfter the place in the index of the holds to begin after; undefined to read no holds
     */
    async changes(after: string | undefined, endedAfter?: string): Promise<ChangesPage> {
      const reply = await exportHistory(
        [newestChangeKey, stockChangesKey, holdsKey, holdIndexKey],
        [after ?? "", changesAtOnce, endedAfter ?? "", holdsAtOnce],
      );
      const [newest, entries, trimmed, endingNow, more, holds] = reply as readonly [
        string,
        readonly Entry[],
        string,
        string,
        string,
        readonly string[],
      ];
      const records = entries.map(changeRecord);
      const isLast = countChanges(records) < changesAtOnce && more === "";
      const moreEnded = more || undefined;
      return {
        newest,
        trimmed,
        entries: records,
        isLast,
        endingNow,
        moreEnded,
        holds: pairsOf(holds).map(holdEntry),
      };
    },

    /** Reads all holds, in pages. Leaves out those that cannot be read, which holdFindings reports. */
    async *holds(): AsyncGenerator<HoldEntry[]> {
      for (const list of ["a,", "e,"]) {
        for (let after = list; after !== ""; ) {
          const reply = await exportHolds([holdsKey, holdIndexKey], [after, holdsAtOnce]);
          const [last = "", ...holds] = reply as readonly string[];
          after = last;
          yield pairsOf(holds).map(holdEntry).filter(parseHold);
        }
      }
    },

    /** Reads a page of the items. @param after the last pet id of the page before; undefined for the first page */
    async items(after: string | undefined) {
      const reply = await exportItems(stockKeys, [after ?? "", itemsAtOnce]);
      const [ids, values] = reply as readonly [readonly string[], readonly (string | null)[]];
      const items: ItemRecord[] = [];
      /** Pet ids in the index that are not in the stock. */
      const missing: string[] = [];
      ids.forEach((item, index) => {
        const value = values[index];
        if (value) items.push({ item, value });
        else missing.push(item);
      });
      return { items, missing, last: ids.at(-1), more: ids.length === itemsAtOnce };
    },

    /** Reads ids of accounts, oldest first. @returns an empty page after the last one */
    async accountIds(after: AccountPosition | undefined): Promise<AccountPosition[]> {
      const begin = after ? [after.accountId, after.created] : [];
      const reply = (await listAccounts([accountIndexKey], [accountsAtOnce, ...begin])) as string[];
      return pairsOf(reply).map(([accountId, created]) => ({
        accountId,
        created: Number(created),
      }));
    },

    /** Reads accounts. @returns an entry for each position. If an account does not exist, its entry has no fields */
    async accounts(positions: readonly AccountPosition[]): Promise<AccountEntry[]> {
      const keys = positions.map(({ accountId }) => accountKey(accountId));
      const found = await forEachKey(connection, keys, (redis, key) => redis.hgetall(key));
      return positions.map(({ accountId, created }, at) => ({
        account: accountId,
        created,
        fields: found[at] ?? {},
      }));
    },

    /** Reads all orders of accounts, in pages. */
    async *orders(accountIds: readonly string[]): AsyncGenerator<OrderEntry[]> {
      let left = accountIds;
      let after = "";
      while (left.length > 0) {
        const lists = (await exportOrders(left.map(ordersKey), [
          after,
          ordersAtOnce,
        ])) as string[][];
        const found = lists.flatMap((orders, index) =>
          orders.map((order) => ({
            order,
            of: present(left[index], "the account of a list of orders"),
          })),
        );
        if (found.length > 0) yield found;
        const isPartial = found.length === ordersAtOnce;
        after = isPartial ? present(found.at(-1), "the last order of a full page").order : "";
        left = left.slice(isPartial ? lists.length - 1 : lists.length);
      }
    },

    async lastOrder(): Promise<LastOrder> {
      const [lastOrder, removedOrders] = await connection.run(lastOrderKey, (redis) =>
        Promise.all([redis.get(lastOrderKey), redis.get(removedOrdersKey)]),
      );
      return { lastOrder: lastOrder ?? "0", ...(removedOrders !== null && { removedOrders }) };
    },

    /** Reads entries of the audit trail. */
    audit: createTrailReader(connection),

    /** Returns the approximate numbers of items, accounts and entries of the history. */
    async sizes() {
      const [accounts, items, entries] = await Promise.all([
        connection.run(accountIndexKey, (redis) => redis.zcard(accountIndexKey)),
        connection.run(petIdsKey, (redis) => redis.zcard(petIdsKey)),
        connection.run(stockChangesKey, (redis) => redis.xlen(stockChangesKey)),
      ]);
      return { items, accounts, entries };
    },
  };
}

/** Returns the number of changes in entries. */
export function countChanges(entries: readonly ChangeRecord[]): number {
  let count = 0;
  for (const { fields } of entries) count += (fields.changes ?? "").split(";").length - 1;
  return count;
}

function holdEntry([hold, record]: readonly [string, string]): HoldEntry {
  return { hold, record };
}

function changeRecord([change, fields]: Entry): ChangeRecord {
  return { change, fields: Object.fromEntries(pairsOf(fields)) };
}
