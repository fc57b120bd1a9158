import type { WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import { firstIndex } from "../../stores/first-index.ts";
import type { StockChange } from "../../stores/stock-change.ts";
import { type Viewer, viewOf } from "../inventory/change-message.ts";
import { isConcerned, type Selection } from "../inventory/selection.ts";
import { changeEvent } from "./watch-message.ts";

/** A change and its two messages. Each message is made when the first watcher needs it. */
interface Recent {
  readonly change: StockChange;
  /** The message with the change's author and reason. */
  whole: WatchInventoryResponse | undefined;
  /** The message without them. */
  redacted: WatchInventoryResponse | undefined;
}

export type RecentChanges = ReturnType<typeof createRecentChanges>;

/**
 * Creates an empty cache of the latest `max` changes as messages, which all watchers share. They begin after the version
 * `start`. The position of a change is the number of changes appended before it.
 */
export function createRecentChanges(start: bigint, max: number) {
  /** A ring buffer: the change at position p is at index p % max. */
  const ring: Recent[] = [];
  let end = 0;
  /** The version before the oldest change in the cache. */
  let before = start;

  const changeAt = (position: number) => (ring[position % max] as Recent).change;
  const versionAt = (position: number) => ring[position % max]?.change.version ?? before;
  const newest = () => (end === 0 ? start : versionAt(end - 1));
  const isEvicted = (position: number) => position < end - max;

  return {
    /** Returns whether the cache has dropped the change at a position. */
    isEvicted,
    /** The version of the newest change, or the start version while there is none. */
    get version() {
      return newest();
    },
    /** The position after the newest change. */
    get end() {
      return end;
    },
    /** @param changes the changes that follow the newest one, in order */
    append(changes: readonly StockChange[]): void {
      for (const change of changes) {
        if (end >= max) before = versionAt(end);
        ring[end % max] = { change, whole: undefined, redacted: undefined };
        end += 1;
      }
    },
    /**
     * Returns the position of the first change after a version.
     *
     * @returns undefined when the version is later than the newest change; `evicted` when that change is no longer in
     * the cache; `unknown` when the version is within the cached range, but no change has it
     */
    positionAfter(version: bigint): number | "evicted" | "unknown" | undefined {
      if (version > newest()) return undefined;
      if (version < before) return "evicted";
      const first = Math.max(0, end - max);
      if (version === before) return first;
      const found = firstIndex(end, (position) => versionAt(position) >= version, first);
      return versionAt(found) === version ? found + 1 : "unknown";
    },
    /** Returns the position of the first change from a position on that concerns a selection, or else the end. */
    nextFor(selection: Selection, position: number): number {
      let at = position;
      while (at < end && !isEvicted(at) && !isConcerned(selection, changeAt(at))) at += 1;
      return at;
    },
    /** Returns the message for a caller at a position; undefined when there is no change yet. */
    at(position: number, viewer: Viewer): WatchInventoryResponse | "evicted" | undefined {
      if (isEvicted(position)) return "evicted";
      const recent = position < end ? ring[position % max] : undefined;
      if (!recent) return undefined;
      const view = viewOf(viewer, recent.change);
      recent[view] ??= changeEvent(recent.change, view);
      return recent[view];
    },
  };
}
