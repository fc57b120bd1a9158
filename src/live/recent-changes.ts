import type { WatchInventoryResponse } from "../../gen/inventory/v1/inventory_pb.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import { changeEvent } from "./watch-message.ts";

/** The last changes as messages, made once and shared by all who watch. */
export interface RecentChanges {
  /** The version of the newest change; where it began, as long as there is none. */
  readonly version: bigint;
  /** @param changes those that follow on the newest one, in order */
  append(changes: readonly StockChange[]): void;
  /**
   * The change that follows on a version.
   *
   * @returns undefined when there is none yet; `gone` when it is none of the last ones
   */
  after(version: bigint): WatchInventoryResponse | "gone" | undefined;
}

/**
 * Keeps the last changes.
 *
 * @param start the version after which they begin
 * @param most how many are kept
 */
export function createRecentChanges(start: bigint, most: number): RecentChanges {
  /** The change of version v is at v modulo its length. */
  const places: WatchInventoryResponse[] = [];
  const size = BigInt(most);
  let newest = start;

  return {
    get version() {
      return newest;
    },
    append(changes) {
      for (const change of changes) {
        places[Number(change.version % size)] = changeEvent(change);
        newest = change.version;
      }
    },
    after(version) {
      if (version >= newest) return undefined;
      if (version < start || version < newest - size) return "gone";
      return places[Number((version + 1n) % size)];
    },
  };
}
