import { type ChangeReader, changeWaitMs, mostChangesAtOnce } from "../change-reader.ts";
import { changesSince } from "./history.ts";
import type { Stock } from "./stock.ts";

/** Makes a reader of the changes of the stock in memory. */
export function createMemoryChangeReader(stock: Stock): ChangeReader {
  let wake: (() => void) | undefined;

  /** Waits for a change, the timeout, or the call of `close`. */
  function changeOrTimeout(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, changeWaitMs);
      function done(): void {
        clearTimeout(timer);
        stock.listeners.delete(done);
        wake = undefined;
        resolve();
      }
      stock.listeners.add(done);
      wake = done;
    });
  }

  return {
    async next(version) {
      const since = changesSince(stock, version, mostChangesAtOnce);
      if (!since || since.changes.length > 0) return since?.changes;
      await changeOrTimeout();
      return changesSince(stock, version, mostChangesAtOnce)?.changes;
    },
    close: () => wake?.(),
  };
}
