import type { HistoryLimits } from "../inventory/stock-change.ts";
import { stockKeys } from "./change-script.ts";
import type { Connection } from "./connection.ts";
import { loadScript } from "./scripts.ts";

/**
 * Removes changes that are too many, beyond those that go with a change of the stock. That is the case after
 * changes that were made without a limit, such as an import of the command line, and after the limit was
 * lowered. Each command removes a bounded number, so that Redis serves others in between.
 *
 * @returns begins to do so, unless it is under way. A failure ends it: the next change begins it again
 */
export function createHistoryTrimmer(
  connection: Connection,
  now: (() => number) | undefined,
  history: HistoryLimits | undefined,
): () => void {
  if (!history) return () => {};
  const { length, ageMs } = history;
  const trim = loadScript(connection, "clock", "stock", "change", "trim-history");
  let isTrimming = false;

  async function trimAll(): Promise<void> {
    while (connection.redis.status === "ready") {
      const isLagging = await trim(stockKeys, [now?.() ?? "", length, ageMs]);
      if (!isLagging) return;
    }
  }

  return () => {
    if (isTrimming) return;
    isTrimming = true;
    trimAll()
      // The connection has reported it.
      .catch(() => {})
      .finally(() => {
        isTrimming = false;
      });
  };
}
