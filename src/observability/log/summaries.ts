import { minuteMs } from "../../call/durations.ts";
import { type FieldsOf, writeLine } from "./lines.ts";
import { droppedLines, type Log } from "./log.ts";

/** The time between two summaries, in milliseconds. */
const summaryMs = minuteMs;

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

/** Most keys whose requests are counted one by one. A client can only use keys that exist. */
const maxKeys = 1_000;

/** Most reasons that are counted one by one. There are fewer. */
const maxReasons = 50;

/** Most keys in the summary. */
const maxTopKeys = 5;

/** Counts requests that were refused with 429. Its memory is bounded. */
function createRefusalCounts() {
  let requests = 0;
  const byReason = new Map<string, number>();
  const byKey = new Map<string, number>();
  return {
    /** @param keyId undefined when the request had no valid key */
    add(reason: string, keyId: string | undefined): void {
      requests += 1;
      increment(byReason, reason, maxReasons);
      if (keyId !== undefined) increment(byKey, keyId, maxKeys);
    },
    /** Returns the counts since the last call; undefined when there were no refusals. */
    take(): FieldsOf<"refused"> | undefined {
      if (requests === 0) return undefined;
      const topKeys = [...byKey]
        .sort(([, a], [, b]) => b - a)
        .slice(0, maxTopKeys)
        .map(([keyId, count]) => ({ keyId, requests: count }));
      const summary = {
        requests,
        reasons: Object.fromEntries(byReason),
        keys: byKey.size,
        topKeys,
      };
      requests = 0;
      byReason.clear();
      byKey.clear();
      return summary;
    },
  };
}

function increment(counts: Map<string, number>, key: string, most: number): void {
  const count = counts.get(key);
  if (count !== undefined || counts.size < most) counts.set(key, (count ?? 0) + 1);
}
