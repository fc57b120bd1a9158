import { writeLine } from "./lines.ts";
import type { Log } from "./log.ts";

/** Logs when a Redis server is lost and when it recovers. */
export interface RedisOutages {
  /** Writes lines from now on, first those of the servers that are lost already. */
  announce(): void;
  /** A server cannot be used. Only the first call counts, until it has recovered. */
  lost(server: string, reason: string): void;
  /** A server can be used, or is not needed any more. */
  recovered(server: string): void;
}

/** Records outages, without logging them before {@link RedisOutages.announce}. */
export function createRedisOutages(log: Log): RedisOutages {
  const open = new Map<string, { readonly since: number; readonly reason: string }>();
  let isAnnounced = false;
  return {
    announce() {
      isAnnounced = true;
      for (const [server, { reason }] of open) writeLine(log, "redisLost", { server, reason });
    },
    lost(server, reason) {
      if (open.has(server)) return;
      open.set(server, { since: performance.now(), reason });
      if (isAnnounced) writeLine(log, "redisLost", { server, reason });
    },
    recovered(server) {
      const outage = open.get(server);
      open.delete(server);
      if (!outage || !isAnnounced) return;
      const outageMs = Math.round(performance.now() - outage.since);
      writeLine(log, "redisRecovered", { server, outageMs });
    },
  };
}
