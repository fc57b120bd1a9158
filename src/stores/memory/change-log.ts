import { firstIndex } from "../first-index.ts";
import {
  type HistoryLimits,
  historySlack,
  mostTrimmedAtOnce,
  type StockChange,
} from "../stock-change.ts";

/** Changes of one request, which are removed as a whole. */
interface Entry {
  /** The version of the stock before. */
  readonly before: bigint;
  /** The version of the last change. */
  readonly last: bigint;
  /** The number of all changes up to and including these, also of removed ones. */
  readonly number: number;
  /** At least one, of consecutive versions. */
  readonly changes: readonly StockChange[];
}

/** Makes an empty history, as in history.lua. */
export function createChangeLog() {
  /** Oldest first. */
  const entries: Entry[] = [];
  let number = 0;

  /** Returns the index of the first entry that ends with a version or a later one. */
  const indexOf = (version: bigint) =>
    firstIndex(entries.length, (at) => (entries[at] as Entry).last >= version);

  /** Returns the index of a version among an entry's changes, which is out of range when none has the version. */
  const placeIn = ({ last, changes }: Entry, version: bigint) =>
    changes.length - 1 - Number(last - version);

  return {
    /** Appends changes of consecutive versions, at least one. @param before the version of the stock before them */
    append(before: bigint, changes: readonly StockChange[]): void {
      number += changes.length;
      const { version: last } = changes.at(-1) as StockChange;
      entries.push({ before, last, number, changes });
    },
    /** @returns the version after which the history has every change; undefined when it is empty */
    start: () => entries[0]?.before,
    /** @returns the change of a version; undefined when the history does not have it */
    find(version: bigint): StockChange | undefined {
      const entry = entries[indexOf(version)];
      return entry?.changes[placeIn(entry, version)];
    },
    /** Returns all changes up to a version, newest first. */
    *upTo(version: bigint): Iterable<StockChange> {
      for (let at = Math.min(indexOf(version), entries.length - 1); at >= 0; at -= 1) {
        const { changes } = entries[at] as Entry;
        for (let place = changes.length - 1; place >= 0; place -= 1) {
          const change = changes[place] as StockChange;
          if (change.version <= version) yield change;
        }
      }
    },
    /**
     * @param version the version of a change, or the one before the oldest change; not the current version of the stock
     * @returns the changes after it and their number; undefined when the history does not have the version
     */
    after(version: bigint): { total: number; changes: Iterable<StockChange> } | undefined {
      const at = indexOf(version);
      const entry = entries[at];
      if (!entry) return undefined;
      const from = Math.max(0, placeIn(entry, version) + 1);
      if (from === 0 && entry.before !== version) return undefined;
      const total = number - entry.number + entry.changes.length - from;
      return { total, changes: changesFrom(at, from) };
    },
    /** Removes changes beyond the limits, a bounded number at a time. @param now milliseconds since the epoch */
    trim({ length, ageMs }: HistoryLimits, now: number): void {
      const excess = (entry: Entry) => number - entry.number - length;
      const isTooOld = ({ changes }: Entry) => (changes[0]?.changedAt ?? 0) <= now - ageMs;
      const [oldest] = entries;
      if (!oldest || (excess(oldest) < historySlack && !isTooOld(oldest))) return;
      const some = entries.slice(0, mostTrimmedAtOnce);
      const kept = some.findIndex((entry) => excess(entry) < 0 && !isTooOld(entry));
      entries.splice(0, kept === -1 ? some.length : kept);
    },
  };

  function* changesFrom(index: number, place: number): Iterable<StockChange> {
    for (let at = index; at < entries.length; at += 1) {
      const { changes } = entries[at] as Entry;
      yield* at === index ? changes.slice(place) : changes;
    }
  }
}
