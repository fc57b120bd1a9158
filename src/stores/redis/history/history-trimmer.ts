import { singleFlight } from "../../../call/single-flight.ts";
import type { HistoryLimits } from "../../stock-change.ts";
import type { Connection } from "../connection/connection.ts";
import { stockKeys } from "../keys.ts";
import { type Clock, loadScript } from "../scripts.ts";

/**
 * Makes a function that trims the history in Redis. Each change of the stock trims a little. That is not enough after
 * changes that trim nothing, such as an import by the command line, and after the limit was lowered. Each command
 * removes a bounded number of changes, so that Redis can serve other requests in between. The function does nothing
 * while trimming is in progress.
 */
export function createHistoryTrimmer(
  connection: Connection,
  now: Clock,
  history: HistoryLimits | undefined,
): () => void {
  if (!history) return () => {};
  const { length, ageMs } = history;
  const trim = loadScript(connection, "trim-history");
  const trimAll = singleFlight(async () => {
    while (connection.isReady(stockKeys[0])) {
      const isLagging = await trim(stockKeys, [now?.() ?? "", length, ageMs]);
      if (!isLagging) return;
    }
  });
  // The connection has reported the error.
  return () => void trimAll().catch(() => {});
}
