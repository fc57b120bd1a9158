import type { WatchInventoryResponse } from "../../gen/inventory/v1/inventory_pb.ts";
import { seesOrigin, type Viewer } from "../inventory/change-message.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import { changeEvent } from "./watch-message.ts";

/** The last changes as messages, shared by all watchers. Each is known by its place: how many came before. */
export interface RecentChanges {
  /** The version of the newest change; where it began, as long as there is none. */
  readonly version: bigint;
  /** @param changes those that follow on the newest one, in order */
  append(changes: readonly StockChange[]): void;
  /**
   * The place of the first change after a version.
   *
   * @returns undefined when the version is later than the newest change; `gone` when the place is
   * none of the last ones; `lost` when the version would be among the last ones, but is not
   */
  placeAfter(version: bigint): number | "gone" | "lost" | undefined;
  /** The change at a place, as a caller may see it. @returns undefined when there is none yet */
  at(place: number, viewer: Viewer): WatchInventoryResponse | "gone" | undefined;
  /** Whether a place is no longer among the last ones. */
  isGone(place: number): boolean;
}

/** A change, and its two messages: each is made once, when the first watcher needs it. */
interface Recent {
  readonly change: StockChange;
  /** With who made the change, and why. */
  whole: WatchInventoryResponse | undefined;
  /** Without. */
  redacted: WatchInventoryResponse | undefined;
}

/**
 * Keeps the last changes.
 *
 * @param start the version after which they begin
 * @param most how many are kept
 */
export function createRecentChanges(start: bigint, most: number): RecentChanges {
  /** The change at place p is at p modulo the most. */
  const ring: Recent[] = [];
  let end = 0;
  /** The version before the oldest change that is kept. */
  let before = start;

  const versionAt = (place: number) => ring[place % most]?.change.version ?? before;
  const newest = () => (end === 0 ? start : versionAt(end - 1));
  const isGone = (place: number) => place < end - most;

  return {
    isGone,
    get version() {
      return newest();
    },
    append(changes) {
      for (const change of changes) {
        if (end >= most) before = versionAt(end);
        ring[end % most] = { change, whole: undefined, redacted: undefined };
        end += 1;
      }
    },
    placeAfter(version) {
      if (version > newest()) return undefined;
      if (version < before) return "gone";
      const first = Math.max(0, end - most);
      if (version === before) return first;
      let low = first;
      let high = end;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (versionAt(middle) < version) low = middle + 1;
        else high = middle;
      }
      return versionAt(low) === version ? low + 1 : "lost";
    },
    at(place, viewer) {
      if (isGone(place)) return "gone";
      const recent = place < end ? ring[place % most] : undefined;
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
