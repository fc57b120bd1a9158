import { minuteMs } from "../../common/durations.ts";
import { writeLine } from "./lines.ts";
import type { Log } from "./log.ts";

/** Most keys whose requests are counted one by one. A client can only use keys that exist. */
const maxKeys = 1_000;

const maxTopKeys = 5;

export type Summaries = ReturnType<typeof startSummaries>;

/** Counts events that clients can cause very often, and logs their numbers once a minute. */
export function startSummaries(log: Log) {
  let requests = 0;
  let reasons: Record<string, number> = {};
  let byKey = new Map<string, number>();
  let connections: Record<string, number> = {};
  let linesBefore = log.budget.dropped;

  function write(): void {
    if (requests > 0) {
      const topKeys = [...byKey]
        .sort(([, a], [, b]) => b - a)
        .slice(0, maxTopKeys)
        .map(([keyId, count]) => ({ keyId, requests: count }));
      writeLine(log, "refused", { requests, reasons, keys: byKey.size, topKeys });
      requests = 0;
      reasons = {};
      byKey = new Map();
    }
    if (Object.keys(connections).length > 0) {
      writeLine(log, "connectionsDropped", { causes: connections });
      connections = {};
    }
    const lines = log.budget.dropped - linesBefore;
    if (lines > 0) writeLine(log, "linesDropped", { lines });
    linesBefore = log.budget.dropped;
  }

  const timer = setInterval(write, minuteMs).unref();
  return {
    /** Counts a request that was refused with 429. @param keyId undefined when the request had no valid key */
    refused(reason: string, keyId: string | undefined): void {
      requests += 1;
      reasons[reason] = (reasons[reason] ?? 0) + 1;
      if (keyId === undefined) return;
      const count = byKey.get(keyId);
      if (count !== undefined || byKey.size < maxKeys) byKey.set(keyId, (count ?? 0) + 1);
    },
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
