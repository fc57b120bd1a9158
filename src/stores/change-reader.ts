import type { StockChange } from "./stock-change.ts";

/** Reads the changes of the stock as they are made. Calls must not overlap. */
export interface ChangeReader {
  /**
   * Waits for changes after a version, for at most {@link changeWaitMs}.
   *
   * @returns the changes after the version, oldest first, without a gap; an empty list when there are none; undefined
   * when the history no longer has all of them, or does not have the version
   * @throws ConnectError unavailable; the call can be repeated
   */
  next(version: bigint): Promise<readonly StockChange[] | undefined>;
  /** Releases the reader's resources. */
  close(): void;
}

/** Most changes that one call of {@link ChangeReader.next} returns. */
export const mostChangesAtOnce = 100;

/** How long a reader waits for changes, in milliseconds. */
export const changeWaitMs = 1_000;
