import { type ChangeReader, changeWaitMs, mostChangesAtOnce } from "../inventory/change-reader.ts";
import { changesSince } from "./history.ts";
import type { Stock } from "./stock.ts";

/** Reads the changes of the stock within the process. */
export function createMemoryChangeReader(stock: Stock): ChangeReader {
  let wake: (() => void) | undefined;

  /** Waits for a change, the time to pass, or the end. */
  function news(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(told, changeWaitMs);
      function told(): void {
        clearTimeout(timer);
        stock.listeners.delete(told);
        wake = undefined;
        resolve();
      }
      stock.listeners.add(told);
      wake = told;
    });
  }

  return {
    async next(version) {
      const since = changesSince(stock, version, mostChangesAtOnce);
      if (!since || since.changes.length > 0) return since?.changes;
      await news();
      return changesSince(stock, version, mostChangesAtOnce)?.changes;
    },
    close: () => wake?.(),
  };
}
