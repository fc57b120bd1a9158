import type { Redis } from "ioredis";
import type { Connection } from "../stores/redis/connection/connection.ts";
import { dataFormat, readFormat, restoringPrefix } from "../stores/redis/format.ts";
import * as keys from "../stores/redis/keys.ts";
import { loadWriteScript } from "../stores/redis/scripts.ts";
import { lastingSettings, loadChangeScript } from "../stores/redis/stock/change-script.ts";
import { storedKeys } from "../stores/redis/stored-keys.ts";
import type { NewVersions } from "./new-versions.ts";
import { forEachKey } from "./read-data.ts";
import {
  type AccountEntry,
  type AuditRecord,
  type ChangeRecord,
  changeFields,
  changesText,
  type DataRecord,
  type HoldEntry,
  type ItemRecord,
  kindOf,
  type LastOrder,
  type NamesRecord,
  type OrderEntry,
  paddedId,
  parseChanges,
  parseEntryId,
  parseHold,
  parseOrder,
  skuIn,
} from "./records.ts";
import { leaseRestore, RestoreError } from "./restore-lease.ts";

/** A restore in progress. */
export type Restore = Awaited<ReturnType<typeof beginRestore>>;

/** Returns the time of Redis in microseconds since the epoch. @throws ConnectError unavailable */
export async function redisMicros(connection: Connection): Promise<number> {
  const [seconds, micros] = await connection.run(keys.itemsKey, (redis) => redis.time());
  return Number(seconds) * 1_000_000 + Number(micros);
}

/**
 * Begins to restore data. Until it is finished, no process of the service starts with it, and a later restore starts over.
 *
 * @throws RestoreError if there is data; ConnectError unavailable
 */
export async function beginRestore(outer: Connection, versions: NewVersions) {
  const { connection, id, release } = await leaseRestore(outer);
  const restoreHistory = loadWriteScript(connection, "restore-history");
  const restoreHolds = loadChangeScript(connection, lastingSettings, "alone", "restore-holds");
  const finishRestore = loadWriteScript(connection, "finish-restore");
  const stored = await readFormat(connection);
  if (stored?.startsWith(restoringPrefix)) await deleteAll(connection);
  if (await hasData(connection)) {
    await release();
    throw new RestoreError(
      "Redis is not empty: nothing was restored. Restore into an empty Redis, or empty this one first.",
    );
  }
  await connection.change(keys.formatKey, (redis) =>
    redis.set(keys.formatKey, restoringPrefix + id),
  );

  function writeChanges(records: readonly ChangeRecord[]): Promise<unknown> {
    const entries = records.map((record) => withNewVersions(record, versions));
    return restoreHistory([keys.stockChangesKey], [1 + 2 * changeFields.length, ...entries.flat()]);
  }

  /** Writes holds, except those that cannot be read: their units are lost. */
  async function writeHolds(records: readonly HoldEntry[]): Promise<void> {
    const values = records.filter(parseHold).flatMap(({ hold, record }) => [hold, record]);
    for (let at = 0; at < values.length; at += 2 * holdsAtOnce) {
      await restoreHolds({}, values.slice(at, at + 2 * holdsAtOnce));
    }
  }

  async function writeItems(records: readonly ItemRecord[]): Promise<void> {
    const values = records.flatMap(({ item, value }) => [item, itemValue(value, versions)]);
    const pets = records.flatMap(({ item }) => [0, paddedId(item)]);
    await Promise.all([
      connection.change(keys.itemsKey, (redis) => redis.hset(keys.itemsKey, ...values)),
      connection.change(keys.petIdsKey, (redis) => redis.zadd(keys.petIdsKey, ...pets)),
    ]);
  }

  async function writeAccounts(records: readonly AccountEntry[]): Promise<void> {
    const hashes = records.map(({ account }) => keys.accountKey(account));
    const index = records.flatMap(({ account, created }) => [created, account]);
    const write = (redis: Redis, key: string, at: number) =>
      redis.hset(key, records[at]?.fields ?? {});
    await Promise.all([
      connection.change(keys.accountIndexKey, (redis) =>
        redis.zadd(keys.accountIndexKey, ...index),
      ),
      forEachKey(connection, hashes, write, connection.change),
    ]);
  }

  /** Writes orders. An ended order is also written to the ended orders of its account (see orders.lua). */
  function writeOrders(records: readonly OrderEntry[]): Promise<unknown> {
    const ended = records.flatMap(({ order, of }) => {
      const { endedAt } = parseOrder(order) ?? {};
      return endedAt === undefined ? [] : [{ id: order.slice(0, 19), of, endedAt }];
    });
    const byAccount = Object.entries(Object.groupBy(records, ({ of }) => of));
    const index = records.flatMap(({ order, of }) => [0, `${order.slice(0, 20)}${of}`]);
    return connection.change(keys.lastOrderKey, (redis) =>
      Promise.all([
        ...byAccount.map(([account, own = []]) =>
          redis.zadd(keys.ordersKey(account), ...own.flatMap(({ order }) => [0, order])),
        ),
        redis.zadd(keys.orderIndexKey, ...index),
        ...ended.flatMap(({ id, of, endedAt }) => [
          redis.zadd(keys.endedOrdersKey(of), endedAt, id),
          redis.zadd(keys.endedAccountsKey, "LT", endedAt, of),
        ]),
      ]),
    );
  }

  function writeAudit(records: readonly AuditRecord[]): Promise<unknown> {
    return connection.change(keys.auditEntriesKey, (redis) =>
      Promise.all(
        records.map(({ audit, time, body }) =>
          redis.xadd(keys.auditEntriesKey, `${audit}-0`, "time", time, "body", body),
        ),
      ),
    );
  }

  async function writeLast([{ lastOrder, removedOrders }]: readonly [LastOrder]): Promise<void> {
    const set = (key: string, value: string) =>
      connection.change(key, (redis) => redis.set(key, value));
    if (lastOrder !== "0") await set(keys.lastOrderKey, lastOrder);
    if (removedOrders !== undefined) await set(keys.removedOrdersKey, removedOrders);
  }

  /** What writes records of each kind, in the order of records. */
  const writers = [
    writeChanges,
    writeHolds,
    writeItems,
    (records: readonly NamesRecord[]) => writeNames(connection, records),
    writeAccounts,
    writeOrders,
    writeLast,
    writeAudit,
  ] as readonly ((records: readonly DataRecord[]) => Promise<unknown>)[];

  return {
    async write(records: readonly DataRecord[]): Promise<void> {
      for (let at = 0; at < records.length; at += recordsAtOnce) {
        const some = records.slice(at, at + recordsAtOnce);
        for (const [kind, own] of Map.groupBy(some, kindOf)) await writers[kind]?.(own);
      }
    },
    /** Makes the data usable. @throws RestoreError if anything else was written in the meantime */
    async finish(): Promise<void> {
      const { version, number } = versions.newest();
      if (number > 0) {
        const isFirst = await connection.change(keys.newestChangeKey, (redis) =>
          redis.set(keys.newestChangeKey, `${version}-${number}`, "NX"),
        );
        if (!isFirst) throw new RestoreError("The stock was changed while it was restored.");
        const begin = `${versions.start}-${number - (version - versions.start)}`;
        await connection.change(keys.stockChangesKey, (redis) =>
          redis.xgroup("CREATE", keys.stockChangesKey, keys.trimPoint, begin, "MKSTREAM"),
        );
        // A version that no catalogue has had, so that no older entity tag matches.
        await connection.change(keys.catalogChangesKey, (redis) =>
          redis.xadd(keys.catalogChangesKey, `${version}-0`, "before", "-", "pets", ""),
        );
      }
      const args = [restoringPrefix + id, dataFormat];
      if (!(await finishRestore([keys.formatKey], args))) {
        throw new RestoreError("The format of the data was changed while it was restored.");
      }
    },
    /** Sends commands only while no other restore has begun. Otherwise they fail with RestoreError. */
    connection,
    /** Lets another restore begin at once. Call it at the end, also after a failure. */
    release,
  };
}

/** Writes names of pets, except those that cannot be read. */
async function writeNames(connection: Connection, records: readonly NamesRecord[]): Promise<void> {
  const names = new Map<string, string>();
  const skus = new Map<string, string>();
  for (const record of records) {
    const sku = skuIn(record.names);
    if (sku !== undefined) names.set(record.named, record.names);
    if (sku) skus.set(sku, record.named);
  }
  const write = (key: string, fields: ReadonlyMap<string, string>) =>
    fields.size > 0 && connection.change(key, (redis) => redis.hset(key, fields));
  await Promise.all([write(keys.petNamesKey, names), write(keys.skusKey, skus)]);
}

/** The number of records in one command. With it, the command blocks Redis for about a millisecond. */
const recordsAtOnce = 250;

/** The number of holds in one command. Each can have 100 pets. */
const holdsAtOnce = 50;

/** The keys of which one exists if there is data, in addition to those of accounts. */
const dataKeys: ReadonlySet<string> = new Set([
  keys.accountIndexKey,
  keys.auditEntriesKey,
  keys.holdsKey,
  keys.itemsKey,
  keys.lastOrderKey,
  keys.newestChangeKey,
  keys.petIdsKey,
  keys.stockChangesKey,
]);

/** Whether there is data: also an account that no index has, because it would live on beside the restored accounts. */
async function hasData(connection: Connection): Promise<boolean> {
  for await (const names of storedKeys(connection)) {
    const isKept = (key: string) =>
      dataKeys.has(key) || (keys.accountOfKey(key) ?? keys.accountOfOrdersKey(key)) !== undefined;
    if (names.some(isKept)) return true;
  }
  return false;
}

/** Deletes all data, and the counters. */
async function deleteAll(connection: Connection): Promise<void> {
  for await (const names of storedKeys(connection)) {
    const data = names.filter((key) => key !== keys.formatKey && key !== keys.restoreKey);
    await forEachKey(connection, data, (redis, key) => redis.unlink(key));
  }
}

function itemValue(value: string, versions: NewVersions): string {
  const comma = value.lastIndexOf(",");
  return `${value.slice(0, comma)},${versions.ofItem(Number(value.slice(comma + 1)))}`;
}

/** Returns an entry with new versions: its id, and its field names and values. */
function withNewVersions({ change, fields }: ChangeRecord, versions: NewVersions): string[] {
  const { version: old = 0, number = 0 } = parseEntryId(change) ?? {};
  const changes = parseChanges(fields.changes ?? "", old) ?? [];
  const version = versions.ofChange(old);
  const renewed = changes.map((each) => ({
    ...each,
    version: version - (old - each.version),
    versionBefore:
      each.versionBefore === undefined ? undefined : versions.ofChange(each.versionBefore),
  }));
  const values: Readonly<Record<string, string>> = {
    ...fields,
    before: String(version - changes.length),
    changes: changesText(renewed, version),
  };
  return [`${version}-${number}`, ...changeFields.flatMap((name) => [name, values[name] ?? ""])];
}
