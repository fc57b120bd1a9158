import type { WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { StockChange } from "../../stores/stock-change.ts";
import { seesOrigin, type Viewer } from "../inventory/change-message.ts";
import { changeEvent } from "./watch-message.ts";

/**
 * A cache of the latest changes as messages, shared by all watchers. The position of a change is the number of
 * changes appended before it.
 */
export interface RecentChanges {
  /** The version of the newest change, or the start version while there is none. */
  readonly version: bigint;
  /** The position after the newest change. */
  readonly end: number;
  /** @param changes the changes that follow the newest one, in order */
  append(changes: readonly StockChange[]): void;
  /**
   * Returns the position of the first change after a version.
   *
   * @returns undefined when the version is later than the newest change; `evicted` when that change is no longer in
   * the cache; `unknown` when the version is within the cached range, but no change has it
   */
  positionAfter(version: bigint): number | "evicted" | "unknown" | undefined;
  /** Returns the message for a caller at a position; undefined when there is no change yet. */
  at(position: number, viewer: Viewer): WatchInventoryResponse | "evicted" | undefined;
  /** Returns whether the cache has dropped the change at a position. */
  isEvicted(position: number): boolean;
}

/** A change and its two messages. Each message is made when the first watcher needs it. */
interface Recent {
  readonly change: StockChange;
  /** The message with the change's author and reason. */
  whole: WatchInventoryResponse | undefined;
  /** The message without them. */
  redacted: WatchInventoryResponse | undefined;
}

/**
 * Creates an empty cache.
 *
 * @param start the version after which the changes begin
 * @param max how many changes the cache holds
 */
export function createRecentChanges(start: bigint, max: number): RecentChanges {
  /** A ring buffer: the change at position p is at index p % max. */
  const ring: Recent[] = [];
  let end = 0;
  /** The version before the oldest change in the cache. */
  let before = start;

  const versionAt = (position: number) => ring[position % max]?.change.version ?? before;
  const newest = () => (end === 0 ? start : versionAt(end - 1));
  const isEvicted = (position: number) => position < end - max;

  return {
    isEvicted,
    get version() {
      return newest();
    },
    get end() {
      return end;
    },
    append(changes) {
      for (const change of changes) {
        if (end >= max) before = versionAt(end);
        ring[end % max] = { change, whole: undefined, redacted: undefined };
        end += 1;
      }
    },
    positionAfter(version) {
      if (version > newest()) return undefined;
      if (version < before) return "evicted";
      const first = Math.max(0, end - max);
      if (version === before) return first;
      let low = first;
      let high = end;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (versionAt(middle) < version) low = middle + 1;
        else high = middle;
      }
      return versionAt(low) === version ? low + 1 : "unknown";
    },
    at(position, viewer) {
      if (isEvicted(position)) return "evicted";
      const recent = position < end ? ring[position % max] : undefined;
      return recent && messageFor(viewer, recent);
    },
  };
}

function messageFor(viewer: Viewer, recent: Recent): WatchInventoryResponse {
  const { change } = recent;
  if (seesOrigin(viewer, change)) {
    recent.whole ??= changeEvent(change, true);
    return recent.whole;
  }
  recent.redacted ??= changeEvent(change, false);
  return recent.redacted;
}
