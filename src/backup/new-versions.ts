import { randomInt } from "node:crypto";
import { firstIndex } from "../stores/first-index.ts";
import type { EntryId } from "./records.ts";

/** Returns how far restored versions are beyond known ones: 71 to 143 minutes in microseconds, as `lead` in change.lua. */
export function versionJump(): number {
  return 2 ** 32 + randomInt(2 ** 32);
}

/** The versions of restored data. */
export type NewVersions = ReturnType<typeof createNewVersions>;

/**
 * Gives new versions to all changes of a history, so that no older entity tag, resume token or expected version matches
 * the restored stock: a copy and its original would use the same version for different changes. They are consecutive, those
 * of items whose last change is not in the history first.
 *
 * @param base a number above all previous versions, in microseconds since the epoch
 * @param items the number of items
 * @param made the number of all changes that were ever made to the stock
 */
export function createNewVersions(base: number, items: number, made: number) {
  const lasts: number[] = [];
  // The number of changes up to each entry.
  const sums: number[] = [];
  const start = base + items;
  let used = 0;

  /** Returns the position of a change in the history, from 1; undefined if the history lacks it. */
  function positionOf(version: number): number | undefined {
    const at = firstIndex(lasts.length, (index) => (lasts[index] as number) >= version);
    const last = lasts[at];
    if (last === undefined) return undefined;
    const position = (sums[at] as number) - (last - version);
    return position > (sums[at - 1] ?? 0) ? position : undefined;
  }

  return {
    /** The version of the stock before the first entry of the history. */
    start,
    /** Adds the next entry of the history. @param count the number of its changes */
    add({ version }: EntryId, count: number): void {
      lasts.push(version);
      sums.push((sums.at(-1) ?? 0) + count);
    },
    /** Returns the version of an item. Call it once for each item, because it uses up a version. */
    ofItem(version: number): number {
      const position = positionOf(version);
      if (position !== undefined) return start + position;
      used += 1;
      return base + used;
    },
    /** Returns the version of a change; one that no change has if it is not in the history. */
    ofChange(version: number): number {
      const position = positionOf(version);
      return position === undefined ? base : start + position;
    },
    newest: (): EntryId => ({ version: start + (sums.at(-1) ?? 0), number: made }),
  };
}
