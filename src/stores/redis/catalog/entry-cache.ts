import { singleFlight } from "connect-gateway/call";
import { append } from "../../../common/append.ts";
import type { CallContext } from "../../../common/call-context.ts";
import type { CatalogStore, EntryList, ListedEntry } from "../../catalog-store.ts";
import { changedList } from "../changed-list.ts";
import type { Connection } from "../connection/connection.ts";
import { catalogChangesKey, petNamesKey, stockKeys } from "../keys.ts";
import { loadScript } from "../scripts.ts";
import { batchByTick } from "../tick-batch.ts";
import { type EntryLine, entryLines, existing } from "./entry-lines.ts";

/** The most entries that one script call reads, which bounds how long it blocks Redis. */
const entriesAtOnce = 1_000;

/** The most changed entries that are applied to a list: as a number, and as a share of its entries. */
const minChanged = 1_000;
const changedShare = 0.05;

/** The most calls that share a read. */
const maxCalls = 1_000;

const readKeys = [...stockKeys, petNamesKey, catalogChangesKey] as const;

/** The entries that have changed after a version, up to another one. */
interface Changed {
  readonly version: bigint;
  readonly lines: readonly EntryLine[];
  /** Whether other changes can follow. Otherwise, the version was the newest. */
  readonly more: boolean;
}

/** Makes a function that reads entries that have changed after a version; undefined if they are not known. */
export function createChangedReader(connection: Connection) {
  const changedEntries = loadScript(connection, "changed-entries");
  return async (
    version: bigint,
    calls: readonly CallContext[] = [],
  ): Promise<Changed | undefined> => {
    // biome-ignore lint/plugin: at most `maxCalls`
    const reply = await changedEntries(readKeys, [String(version)], ...calls);
    if (reply === null) return undefined;
    const [until, text, rest] = reply as readonly [string, string, string];
    return { version: BigInt(until), lines: entryLines(text), more: rest === "more" };
  };
}

/** Makes a function that reads pages of the catalogue. The version is that of the first entries; others can be newer. */
export function createEntryPages(connection: Connection): CatalogStore["page"] {
  const listEntries = loadScript(connection, "list-entries");
  return async (after, limit, context) => {
    const entries: ListedEntry[] = [];
    let first: bigint | undefined;
    for (let from = after; ; ) {
      // Long entries need several script calls.
      const args = [String(from ?? ""), limit - entries.length];
      const reply = await listEntries(readKeys, args, context);
      const [version, text, rest] = reply as readonly [string, string, string];
      first ??= BigInt(version);
      const lines = entryLines(text);
      append(entries, existing(lines));
      const more = rest === "more";
      if (!more || entries.length >= limit) return { entries, version: first, more };
      // A line can have no entry: a damaged index has pets that do not exist.
      from = lines.at(-1)?.petId;
    }
  };
}

/**
 * Caches the whole catalogue, and reads only later changes from Redis. While nothing changes, it returns the same frozen
 * list. Calls of one event-loop tick share a read after all of them, so that each sees all changes acknowledged before it.
 */
export function createEntryCache(
  connection: Connection,
  page: CatalogStore["page"],
): CatalogStore["list"] {
  const changedAfter = createChangedReader(connection);
  let cached: EntryList | undefined;

  /** Only one read of all entries runs at a time. Other calls wait for it, then read later changes. */
  const readAll = singleFlight(async () => {
    // The process never holds two lists at the same time.
    cached = undefined;
    let next = await page(undefined, entriesAtOnce);
    const { version } = next;
    const entries = [...next.entries];
    while (next.more) {
      next = await page(next.entries.at(-1)?.petId, entriesAtOnce);
      append(entries, next.entries);
    }
    // Other entries than the first can be newer, until the changes after its version are applied.
    cached = { entries, version };
  });

  /** Applies the changes after a list. @returns undefined if they are not known, or too many */
  async function upToDate(
    list: EntryList,
    calls: readonly CallContext[] = [],
  ): Promise<EntryList | undefined> {
    const most = Math.max(minChanged, changedShare * list.entries.length);
    const lines: EntryLine[] = [];
    let { version } = list;
    for (let more = true; more; ) {
      const next = await changedAfter(version, calls);
      if (!next || lines.length > most) return undefined;
      append(lines, next.lines);
      ({ version, more } = next);
    }
    if (version === list.version) return Object.freeze(list);
    const changed = new Map(lines.map(({ petId, entry }) => [petId, entry]));
    return Object.freeze({ entries: changedList(list.entries, changed), version });
  }

  async function read(calls: readonly CallContext[]): Promise<EntryList> {
    for (;;) {
      const list = cached && (await upToDate(cached, calls));
      if (list) {
        // Another read can have found more.
        if (cached && cached.version < list.version) cached = list;
        return list;
      }
      await readAll();
    }
  }

  const readByTick = batchByTick(async (calls: readonly CallContext[]) => {
    const list = await read(calls);
    return calls.map(() => list);
  }, maxCalls);
  return (context = {}) => readByTick(context);
}
