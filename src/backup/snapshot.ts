import { hourMs, minuteMs } from "../call/durations.ts";
import { maxEntriesAtOnce } from "../stores/audit-store.ts";
import type { Summary } from "./backup-file.ts";
import { createChangesInBetween } from "./changes-in-between.ts";
import type { Finding } from "./finding.ts";
import { readAhead } from "./read-ahead.ts";
import {
  type AccountPosition,
  type ChangesPage,
  countChanges,
  type DataReader,
} from "./read-data.ts";
import {
  type AccountEntry,
  type ChangeRecord,
  type DataRecord,
  type HoldEntry,
  type ItemRecord,
  type OrderEntry,
  parseEntryId,
} from "./records.ts";
import { createSpool } from "./spool.ts";

/** Observers of a snapshot. */
export interface SnapshotOptions {
  /** Called with the number of records that were read. */
  readonly advance: (records: number) => void;
  /** Called with each inconsistency that the records do not show, and with all data that they lack. */
  readonly report: (finding: Finding) => void;
  /** Aborts the snapshot, which then throws the signal's reason. */
  readonly signal: AbortSignal;
}

/** The stock changed in a way that a snapshot cannot follow. */
export class SnapshotError extends Error {
  override name = "SnapshotError";
}

/**
 * Reads all data while clients change it. History, items, orders and holds belong to one version of the stock. Accounts
 * are read a little later, so that every order has its account. No command blocks Redis for more than about a
 * millisecond. Items, orders and holds are written to temporary files, so that memory grows only with concurrent changes.
 *
 * @returns the version and the number of records of each kind
 * @throws ConnectError unavailable; SnapshotError if the history is trimmed before it is read, or replaced, or if the
 * clock of Redis goes back
 */
export async function* readSnapshot(
  reader: DataReader,
  { advance, report, signal }: SnapshotOptions,
): AsyncGenerator<readonly DataRecord[], Summary> {
  const between = createChangesInBetween();
  const counts = { items: 0, accounts: 0, keys: 0, orders: 0, changes: 0, audit: 0 };
  let last: string | undefined;
  let newest: string | undefined;
  /** The place in the index of the holds to begin after; undefined while no other data is read. */
  let endedAfter: string | undefined;
  let endingNow = "";
  /** The place of holds that ended when the last page was read. */
  let now = "";
  await using items = await createSpool<ItemRecord>();
  await using orders = await createSpool<OrderEntry>();
  await using holds = await createSpool<HoldEntry>();

  /** Reads the history to its end, and all holds that have ended at that moment. */
  async function* allChanges(): AsyncGenerator<readonly ChangeRecord[]> {
    let begin: string | undefined;
    for (let isLast = false; !isLast; ) {
      signal.throwIfAborted();
      const page = await reader.changes(last, endedAfter);
      checkContinues(last, newest, page);
      if (newest === undefined) checkBeginning(page, report);
      ({ newest } = page);
      if (page.endingNow < now) throw new SnapshotError(clockWentBack);
      now = page.endingNow;
      between.addHolds(page.holds);
      // After several pages, holds may have ended at a time before that of the last page.
      isLast = page.isLast && begin === undefined;
      begin ??= page.endingNow;
      if (page.moreEnded === undefined) {
        endingNow = begin;
        begin = undefined;
      }
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
    for (let last: string | undefined, more = true; more; ) {
      const page = await reader.items(last);
      ({ last = last, more } = page);
      for (const petId of page.missing) {
        const problem = `pet ${petId} is in the index, but not in the stock: run inventory verify --repair`;
        report({ problem });
      }
      await items.write(page.items);
      advance(page.items.length);
      yield;
    }
  }

  async function* accountPages(): AsyncGenerator<AccountPosition[]> {
    let page = await reader.accountIds(undefined);
    for (; page.length > 0; page = await reader.accountIds(page.at(-1))) {
      signal.throwIfAborted();
      yield page;
      advance(page.length);
    }
  }

  async function* orderPages(): AsyncGenerator<void> {
    for await (const page of accountPages()) {
      for await (const found of reader.orders(page.map(({ accountId }) => accountId))) {
        await orders.write(found);
        yield;
      }
    }
  }

  async function* holdPages(): AsyncGenerator<void> {
    for await (const page of reader.holds()) {
      await holds.write(page);
      yield;
    }
  }

  async function* accounts(): AsyncGenerator<AccountEntry[]> {
    for await (const page of accountPages()) {
      const entries = await reader.accounts(page);
      yield entries.filter(({ account, created, fields }) => {
        const exists = Object.keys(fields).length > 0;
        // CreateAccount writes the account a moment after the entry.
        if (!exists && created < Date.now() - minuteMs) {
          const when = created < Date.now() - hourMs ? "" : " an hour after its creation";
          const problem = `account ${account} is in the index, but does not exist: run inventory verify --repair${when}`;
          report({ problem });
        }
        return exists;
      });
    }
  }

  /** Reads the audit trail as it is when this begins. */
  async function* trail(): AsyncGenerator<readonly DataRecord[]> {
    const { ends } = await reader.audit(1, 0);
    for (let next = ends.oldest; next <= ends.newest; next += maxEntriesAtOnce) {
      signal.throwIfAborted();
      const page = await reader.audit(next, Math.min(maxEntriesAtOnce, ends.newest - next + 1));
      if (page.ends.oldest > next) throw new SnapshotError(trailTrimmed);
      counts.audit += page.entries.length;
      advance(page.entries.length);
      yield page.entries.map(({ sequence, ...entry }) => ({ audit: sequence, ...entry }));
    }
    const missing = ends.newest - ends.oldest + 1 - counts.audit;
    if (missing > 0) {
      report({ problem: `the audit trail lacks ${missing} of its entries`, isHidden: true });
    }
  }

  yield* readAhead(allChanges());
  endedAfter = endingNow;
  yield* followed(readAhead(itemPages()));
  yield* followed(readAhead(orderPages()));
  yield* followed(readAhead(holdPages()));
  let held = 0;
  for await (const page of between.holds(holds.read())) {
    held += page.length;
    yield page;
  }
  for await (const page of between.items(items.read())) {
    counts.items += page.length;
    yield page;
  }
  for await (const page of readAhead(accounts())) {
    counts.accounts += page.length;
    for (const { fields } of page) counts.keys += keyCount(fields);
    yield page;
  }
  for await (const page of between.orders(orders.read())) {
    counts.orders += page.length;
    yield page;
  }
  yield [await reader.lastOrder()];
  yield* readAhead(trail());
  if (last !== newest) {
    const problem = `the history lacks its newest entries: it ends with ${last}, but the stock has ${newest}`;
    report({ problem, isHidden: true, isInRecords: true });
  }
  return { newest: newest ?? "0-0", counts: { ...counts, holds: held } };
}

/**
 * @param last the id of the last entry before the page; undefined for the first page
 * @param newest the id of the newest entry at that time
 * @throws SnapshotError if the history lacks changes between the last entry and the page
 */
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
  const problem = `the history lacks its oldest entries: it begins after change ${number}, but was trimmed only up to change ${last?.number ?? 0}`;
  report({ problem, isHidden: true });
}

const clockWentBack = "The clock of Redis went back while the data was read. Try again.";

const trailTrimmed =
  "The audit trail was trimmed while it was read. Try again; if this persists, raise AUDIT_LENGTH.";

function keyCount(fields: Readonly<Record<string, string>>): number {
  return Object.keys(fields).filter((name) => name.startsWith("i:")).length;
}
