import type { WatchInventoryResponse } from "../../gen/inventory/v1/inventory_pb.ts";
import { seesOrigin, type Viewer } from "../inventory/change-message.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import { changeEvent } from "./watch-message.ts";

/** The last changes as messages, shared by all watchers. */
export interface RecentChanges {
  /** The version of the newest change; where it began, as long as there is none. */
  readonly version: bigint;
  /** @param changes those that follow on the newest one, in order */
  append(changes: readonly StockChange[]): void;
  /**
   * The change that follows on a version, as a caller may see it.
   *
   * @returns undefined when there is none yet; `gone` when it is none of the last ones
   */
  after(version: bigint, viewer: Viewer): WatchInventoryResponse | "gone" | undefined;
  /** Whether the change that follows a version is no longer among the last ones. */
  isGone(version: bigint): boolean;
}

/** A change, and its two messages: each is made once, when the first watcher needs it. */
interface Place {
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
  /** The change of version v is at v modulo its length. */
  const places: Place[] = [];
  const size = BigInt(most);
  let newest = start;

  const isGone = (version: bigint) =>
    version < newest && (version < start || version < newest - size);

  return {
    isGone,
    get version() {
      return newest;
    },
    append(changes) {
      for (const change of changes) {
        const place = { change, whole: undefined, redacted: undefined };
        places[Number(change.version % size)] = place;
        newest = change.version;
      }
    },
    after(version, viewer) {
      if (version >= newest) return undefined;
      if (isGone(version)) return "gone";
      const place = places[Number((version + 1n) % size)];
      return place && messageFor(viewer, place);
    },
  };
}

function messageFor(viewer: Viewer, place: Place): WatchInventoryResponse {
  const { change } = place;
  if (seesOrigin(viewer, change)) {
    place.whole ??= changeEvent(change, true);
    return place.whole;
  }
  place.redacted ??= changeEvent(change, false);
  return place.redacted;
}
