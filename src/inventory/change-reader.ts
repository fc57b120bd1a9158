import type { StockChange } from "./stock-change.ts";

/** Reads the changes of the stock as they are made. For one reader that goes on from where it is. */
export interface ChangeReader {
  /**
   * Waits for changes, but not for long: about a second.
   *
   * @param version the version that is known
   * @returns the changes after it, oldest first, without a gap; none when none came; undefined when not
   * all are remembered any more, or the stock is not the one that had the version
   * @throws ConnectError unavailable; to be called again then
   */
  next(version: bigint): Promise<readonly StockChange[] | undefined>;
  /** Lets go of what it reads with. */
  close(): void;
}

/** Most changes that a reader tells at once. */
export const mostChangesAtOnce = 100;

/** For how long a reader waits for changes, in milliseconds. */
export const changeWaitMs = 1_000;
