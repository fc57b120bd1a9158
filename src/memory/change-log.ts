import {
  type HistoryLimits,
  historySlack,
  mostTrimmedAtOnce,
  type StockChange,
} from "../inventory/stock-change.ts";

/** Changes of one request that are removed as a whole. */
interface Entry {
  /** The version of the stock before. */
  readonly before: bigint;
  /** The version of the last change. */
  readonly last: bigint;
  /** How many changes there have been with these, those that were removed too. */
  readonly number: number;
  /** At least one, of consecutive versions. */
  readonly changes: readonly StockChange[];
}

/** The history, as history.lua has it. Appending and finding take no longer when it is long. */
export interface ChangeLog {
  /** @param changes of consecutive versions, at least one @param before the version of the stock before them */
  append(before: bigint, changes: readonly StockChange[]): void;
  /** @returns the version after which every change is here; undefined when there is none */
  start(): bigint | undefined;
  /** @returns the change of a version; undefined when it is not here */
  find(version: bigint): StockChange | undefined;
  /** @returns all changes up to a version, newest first */
  upTo(version: bigint): Iterable<StockChange>;
  /**
   * @param version that of a change, or the one before the oldest; not that of the stock
   * @returns how many changes there are after it, and these; undefined when it is none of these
   */
  after(version: bigint): { total: number; changes: Iterable<StockChange> } | undefined;
  /** Removes what is too much or too old, but not all at once. @param now milliseconds since the epoch */
  trim(limits: HistoryLimits, now: number): void;
}

/** Makes an empty history. */
export function createChangeLog(): ChangeLog {
  /** Oldest first. The first ones were removed already. */
  let entries: Entry[] = [];
  let removed = 0;
  let number = 0;

  /** The index of the first entry that ends with a version or a later one. */
  function indexOf(version: bigint): number {
    let low = removed;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle] as Entry).last < version) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Which of an entry's changes has a version; negative, or beyond the last, when none has. */
  const placeIn = ({ last, changes }: Entry, version: bigint) =>
    changes.length - 1 - Number(last - version);

  function remove(upTo: number): void {
    removed = upTo;
    // Now and then, so that it costs little for each.
    if (removed * 2 < entries.length) return;
    entries = entries.slice(removed);
    removed = 0;
  }

  return {
    append(before, changes) {
      number += changes.length;
      const { version: last } = changes.at(-1) as StockChange;
      entries.push({ before, last, number, changes });
    },

    start: () => entries[removed]?.before,

    find(version) {
      const entry = entries[indexOf(version)];
      return entry?.changes[placeIn(entry, version)];
    },

    *upTo(version) {
      for (let at = Math.min(indexOf(version), entries.length - 1); at >= removed; at -= 1) {
        const { changes } = entries[at] as Entry;
        for (let place = changes.length - 1; place >= 0; place -= 1) {
          const change = changes[place] as StockChange;
          if (change.version <= version) yield change;
        }
      }
    },

    after(version) {
      const at = indexOf(version);
      const entry = entries[at];
      if (!entry) return undefined;
      const from = Math.max(0, placeIn(entry, version) + 1);
      if (from === 0 && entry.before !== version) return undefined;
      const total = number - entry.number + entry.changes.length - from;
      return { total, changes: changesFrom(at, from) };
    },

    trim({ length, ageMs }, now) {
      const excess = (entry: Entry) => number - entry.number - length;
      const isTooOld = ({ changes }: Entry) => (changes[0]?.changedAt ?? 0) <= now - ageMs;
      const oldest = entries[removed];
      if (!oldest || (excess(oldest) < historySlack && !isTooOld(oldest))) return;
      let end = removed;
      const most = Math.min(entries.length, removed + mostTrimmedAtOnce);
      while (end < most) {
        const entry = entries[end] as Entry;
        if (excess(entry) < 0 && !isTooOld(entry)) break;
        end += 1;
      }
      remove(end);
    },
  };

  function* changesFrom(index: number, place: number): Iterable<StockChange> {
    for (let at = index; at < entries.length; at += 1) {
      const { changes } = entries[at] as Entry;
      yield* at === index ? changes.slice(place) : changes;
    }
  }
}
