import { writeLine } from "./lines.ts";
import { droppedLines, type Log } from "./log.ts";
import { createRefusalCounts } from "./refusal-counts.ts";

/** The time between two summaries, in milliseconds. */
const summaryMs = 60_000;

export type Summaries = ReturnType<typeof startSummaries>;

/** Counts events that clients can cause very often, and logs their numbers once a minute. */
export function startSummaries(log: Log) {
  const refusals = createRefusalCounts();
  let connections: Record<string, number> = {};
  let linesBefore = droppedLines(log);

  function write(): void {
    const refused = refusals.take();
    if (refused) writeLine(log, "refused", refused);
    if (Object.keys(connections).length > 0) {
      writeLine(log, "connectionsDropped", { causes: connections });
      connections = {};
    }
    const lines = droppedLines(log) - linesBefore;
    if (lines > 0) writeLine(log, "linesDropped", { lines });
    linesBefore = droppedLines(log);
  }

  const timer = setInterval(write, summaryMs).unref();
  return {
    /** Counts a request that was refused with 429. */
    refused: refusals.add,
    /** Counts a connection that was closed because of a limit. */
    connectionDropped(cause: string): void {
      connections[cause] = (connections[cause] ?? 0) + 1;
    },
    /** Logs the numbers since the last summary, and ends the summaries. */
    stop(): void {
      clearInterval(timer);
      write();
    },
  };
}
