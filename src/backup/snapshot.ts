import { maxEntriesAtOnce } from "../stores/audit-store.ts";
import { accountOfKey, accountOfOrdersKey } from "../stores/redis/keys.ts";
import type { Summary } from "./backup-file.ts";
import { createChangesInBetween } from "./changes-in-between.ts";
import { readAhead } from "./read-ahead.ts";
import {
  type ChangesPage,
  countChanges,
  type DataReader,
  type StoredAccount,
} from "./read-data.ts";
import {
  type AccountEntry,
  type ChangeRecord,
  type DataRecord,
  type HoldEntry,
  type ItemRecord,
  type NamesRecord,
  type OrderEntry,
  parseEntryId,
} from "./records.ts";
import { createSpool } from "./spool.ts";

/** Observers of a snapshot. */
export interface SnapshotOptions {
  /** Called with the number of records that were read. */
  readonly advance: (records: number) => void;
  /** Called with each kind of data that is lost, so that the records lack it. */
  readonly report: (problem: string) => void;
  /** Aborts the snapshot, which then throws the signal's reason. */
  readonly signal: AbortSignal;
  /** Receives what is read, but is not in the records. */
  readonly observer?: SnapshotObserver;
}

/** What is known of a snapshot after its last record. */
export interface Snapshot extends Summary {
  /** The id of the last entry of its history. It is another one than that of the stock if entries are lost. */
  readonly last: string;
}

/** Receives what a snapshot reads, as it is stored, to compare it with the records. */
export interface SnapshotObserver {
  /** Called with all accounts that exist, have orders, or are in the index. */
  accounts(found: readonly StoredAccount[]): Promise<void>;
  /** Called with numbers of held units. That of all pets comes last, as it is at the version of the snapshot. */
  counts(fields: readonly (readonly [name: string, value: string])[]): void;
}

/** The stock changed in a way that a snapshot cannot follow. */
export class SnapshotError extends Error {
  override name = "SnapshotError";
}

/**
 * Reads all data while clients change it. History, items, orders and holds belong to one version of the stock. Names and
 * accounts are read a little later, so that every order has its account. No command blocks Redis for more than about a
 * millisecond. Reads the data itself and no index of it, so that a damaged index hides nothing. Items, orders and holds are
 * written to temporary files. Memory grows with the ids of pets, holds and accounts, and with concurrent changes.
 *
 * @returns the version and the number of records of each kind
 * @throws ConnectError unavailable; SnapshotError if the history is trimmed before it is read, or replaced, or if the
 * clock of Redis goes back
 */
export async function* readSnapshot(
  reader: DataReader,
  options: SnapshotOptions,
): AsyncGenerator<readonly DataRecord[], Snapshot> {
  const { advance, report, signal, observer } = options;
  const between = createChangesInBetween();
  const counts = { items: 0, accounts: 0, keys: 0, orders: 0, changes: 0, audit: 0 };
  let last: string | undefined;
  let newest: string | undefined;
  /** The place in the index of the holds to begin after; undefined while no other data is read. */
  let endedAfter: string | undefined;
  /** The place of holds that ended when the last page was read. */
  let endingNow = "";
  let heldUnits = "0";
  const accountIds = new Set<string>();
  await using items = await createSpool<ItemRecord>();
  await using orders = await createSpool<OrderEntry>();
  await using holds = await createSpool<HoldEntry>();
  await using names = await createSpool<NamesRecord>();

  /** Reads the history to its end, and all holds that have ended at that moment. */
  async function* allChanges(): AsyncGenerator<readonly ChangeRecord[]> {
    for (let isLast = false; !isLast; ) {
      signal.throwIfAborted();
      const page = await reader.changes(last, endedAfter);
      checkContinues(last, newest, page);
      if (newest === undefined) checkBeginning(page, report);
      ({ newest, heldUnits } = page);
      if (page.endingNow < endingNow) throw new SnapshotError(clockWentBack);
      ({ endingNow, isLast } = page);
      between.addHolds(page.holds);
      if (endedAfter !== undefined) endedAfter = page.moreEnded ?? endingNow;
      last = page.entries.at(-1)?.change ?? last ?? newest;
      counts.changes += countChanges(page.entries);
      advance(page.entries.length);
      if (page.entries.length > 0) yield page.entries;
    }
  }

  /** Reads the new entries of the history after each page, before they can be trimmed. */
  async function* followed(pages: AsyncIterable<unknown>): AsyncGenerator<readonly ChangeRecord[]> {
    for await (const _ of pages) {
      for await (const entries of allChanges()) {
        for (const entry of entries) between.add(entry);
        yield entries;
      }
    }
  }

  async function* itemPages(): AsyncGenerator<void> {
    for await (const page of reader.items()) {
      await items.write(page.map(([item, value]) => ({ item, value })));
      advance(page.length);
      yield;
    }
  }

  /** Reads the orders of all accounts. Adds all accounts that exist or have orders to `accountIds`. */
  async function* orderPages(): AsyncGenerator<void> {
    const owners = new Set<string>();
    for await (const names of reader.keys()) {
      signal.throwIfAborted();
      const added = names.flatMap((name) => accountOfOrdersKey(name) ?? []);
      const unread = added.filter((accountId) => !owners.has(accountId) && owners.add(accountId));
      for (const accountId of names.flatMap((name) => accountOfKey(name) ?? [])) {
        accountIds.add(accountId);
      }
      for (const accountId of unread) accountIds.add(accountId);
      for await (const found of reader.orders(unread)) {
        await orders.write(found);
        yield;
      }
    }
  }

  async function* holdPages(): AsyncGenerator<void> {
    for await (const page of reader.holdFields()) {
      observer?.counts(page.filter(([name]) => !name.includes("/")));
      const found = page.filter(([name]) => name.includes("/"));
      await holds.write(found.map(([hold, record]) => ({ hold, record })));
      yield;
    }
  }

  /** Reads the accounts. Leaves out those whose deletion a failover has undone. */
  async function* accounts(): AsyncGenerator<AccountEntry[]> {
    // The index has the accounts that were created after the names of their keys were read.
    for await (const page of reader.listedAccounts()) {
      for (const accountId of page) accountIds.add(accountId);
    }
    const all = [...accountIds];
    for (let at = 0; at < all.length; at += accountsAtOnce) {
      signal.throwIfAborted();
      const found = await reader.accounts(all.slice(at, at + accountsAtOnce));
      await observer?.accounts(found);
      const entries = found.flatMap(({ accountId, fields, listedAt, isDeleted }) => {
        const exists = Object.keys(fields).length > 0 && (!isDeleted || listedAt !== undefined);
        // The orders of a deleted account are about to be deleted, too.
        if (!exists && listedAt === undefined) accountIds.delete(accountId);
        const created = listedAt ?? (Number(fields.created) || 0);
        return exists ? [{ account: accountId, created, fields }] : [];
      });
      advance(entries.length);
      yield entries;
    }
  }

  yield* readAhead(allChanges());
  endedAfter = endingNow;
  yield* followed(readAhead(itemPages()));
  yield* followed(readAhead(orderPages()));
  yield* followed(readAhead(holdPages()));
  observer?.counts([["units", heldUnits]]);
  const renamed = await readNames(reader, names, signal);
  if (!renamed) throw new SnapshotError(catalogueTrimmed);
  let held = 0;
  for await (const page of between.holds(holds.read())) {
    held += page.length;
    yield page;
  }
  const petIds = new Set<string>();
  for await (const page of between.items(items.read())) {
    counts.items += page.length;
    for (const { item } of page) petIds.add(item);
    yield page;
  }
  for await (const page of namesOf(petIds, names.read(), renamed)) yield page;
  for await (const page of readAhead(accounts())) {
    counts.accounts += page.length;
    const names = page.flatMap(({ fields }) => Object.keys(fields));
    counts.keys += names.filter((name) => name.startsWith("i:")).length;
    yield page;
  }
  for await (const page of between.orders(orders.read(), reader.references)) {
    const owned = page.filter(({ of }) => accountIds.has(of));
    counts.orders += owned.length;
    yield owned;
  }
  yield [await reader.lastOrder()];
  for await (const page of readAhead(auditPages(reader, options))) {
    counts.audit += page.length;
    yield page;
  }
  return { newest: newest ?? "0-0", last: last ?? "0-0", counts: { ...counts, holds: held } };
}

/**
 * Reads the names of all pets into `spool`. Returns those that have changed in the meantime, by pet id, with which all
 * belong to one version of the catalogue; empty for a pet without any. Undefined if not all changes are known.
 */
async function readNames(
  reader: DataReader,
  spool: { write(records: readonly NamesRecord[]): Promise<void> },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  const changed = new Map<string, string>();
  let version = await reader.catalogVersion();

  /** @returns whether all changes are known */
  async function follow(): Promise<boolean> {
    for (let more = true; more; ) {
      const next = await reader.changedNames(version);
      if (!next) return false;
      ({ version, more } = next);
      for (const { named, names } of next.names) changed.set(named, names);
    }
    return true;
  }

  for await (const page of readAhead(reader.names())) {
    signal.throwIfAborted();
    await spool.write(page);
    if (!(await follow())) return undefined;
  }
  return (await follow()) ? changed : undefined;
}

/** Returns the names of some pets, from pages that were read and from those that have changed in the meantime. */
async function* namesOf(
  petIds: ReadonlySet<string>,
  pages: AsyncIterable<readonly NamesRecord[]>,
  changed: ReadonlyMap<string, string>,
): AsyncGenerator<NamesRecord[]> {
  for await (const page of pages) {
    yield page.filter(({ named }) => petIds.has(named) && !changed.has(named));
  }
  const renamed = [...changed]
    .filter(([named, names]) => petIds.has(named) && names !== "")
    .map(([named, names]) => ({ named, names }));
  for (let at = 0; at < renamed.length; at += namesAtOnce)
    yield renamed.slice(at, at + namesAtOnce);
}

/** Reads the audit trail as it is when this begins. */
async function* auditPages(
  reader: DataReader,
  { advance, report, signal }: SnapshotOptions,
): AsyncGenerator<readonly DataRecord[]> {
  let found = 0;
  const { ends } = await reader.audit(1, 0);
  for (let next = ends.oldest; next <= ends.newest; next += maxEntriesAtOnce) {
    signal.throwIfAborted();
    const page = await reader.audit(next, Math.min(maxEntriesAtOnce, ends.newest - next + 1));
    if (page.ends.oldest > next) throw new SnapshotError(trailTrimmed);
    found += page.entries.length;
    advance(page.entries.length);
    yield page.entries.map(({ sequence, ...entry }) => ({ audit: sequence, ...entry }));
  }
  const missing = ends.newest - ends.oldest + 1 - found;
  if (missing > 0) report(`the audit trail lacks ${missing} of its entries`);
}

/** Checks that the history lacks no changes between the last entry before a page and the page. @throws SnapshotError */
function checkContinues(
  last: string | undefined,
  newest: string | undefined,
  { entries: [next], newest: newestNow }: ChangesPage,
): void {
  if (last === undefined) return;
  const { version } = parseEntryId(last) ?? {};
  if (next ? Number(next.fields.before) === version : newest === newestNow) return;
  throw new SnapshotError(
    "The history was trimmed or replaced while it was read. Try again; if this persists, raise HISTORY_LENGTH.",
  );
}

/** Checks that the history begins where it was trimmed. @param page the first page */
function checkBeginning(
  { entries: [first], newest, trimmed }: ChangesPage,
  report: SnapshotOptions["report"],
): void {
  const id = first && parseEntryId(first.change);
  const number = id ? id.number - countChanges([first]) : parseEntryId(newest)?.number;
  const version = id ? Number(first.fields.before) : parseEntryId(newest)?.version;
  const last = parseEntryId(trimmed);
  // A restored history begins with a version, and its trim point is there.
  if (number === (last?.number ?? 0) && version === (last?.version ?? 0)) return;
  report(
    `the history lacks its oldest entries: it begins after change ${number}, but was trimmed only up to change ${last?.number ?? 0}`,
  );
}

/** The number of names in a page of those that have changed. */
const namesAtOnce = 1_000;

/** The most accounts that are read at once. */
const accountsAtOnce = 500;

const clockWentBack = "The clock of Redis went back while the data was read. Try again.";

const catalogueTrimmed =
  "The catalogue was changed too often, or replaced, while it was read. Try again.";

const trailTrimmed =
  "The audit trail was trimmed while it was read. Try again; if this persists, raise AUDIT_LENGTH.";
