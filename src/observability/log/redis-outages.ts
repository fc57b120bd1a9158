import { writeLine } from "./lines.ts";
import type { Log } from "./log.ts";

/** Logs when a Redis server is lost and when it recovers. Before `announce`, it only records this. */
export function createRedisOutages(log: Log) {
  const open = new Map<string, { readonly since: number; readonly reason: string }>();
  let isAnnounced = false;
  return {
    /** Writes lines from now on, first those of the servers that are lost already. */
    announce(): void {
      isAnnounced = true;
      for (const [server, { reason }] of open) writeLine(log, "redisLost", { server, reason });
    },
    /** A server cannot be used. Only the first call counts, until it has recovered. */
    lost(server: string, reason: string): void {
      if (open.has(server)) return;
      open.set(server, { since: performance.now(), reason });
      if (isAnnounced) writeLine(log, "redisLost", { server, reason });
    },
    /** A server can be used, or is not needed any more. */
    recovered(server: string): void {
      const outage = open.get(server);
      open.delete(server);
      if (!outage || !isAnnounced) return;
      const outageMs = Math.round(performance.now() - outage.since);
      writeLine(log, "redisRecovered", { server, outageMs });
    },
  };
}
