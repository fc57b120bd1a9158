import { atMostEvery } from "../common/at-most-every.ts";
import { writeLine } from "../observability/log/lines.ts";
import type { Log } from "../observability/log/log.ts";
import { createRedisOutages } from "../observability/log/redis-outages.ts";
import type { ServiceMetrics } from "../observability/metrics/service-metrics.ts";
import { FormatError } from "../stores/redis/format.ts";
import { createRedisStores } from "../stores/redis/stores.ts";
import type { Stores } from "../stores/stores.ts";
import { isFirst, type Life } from "./life.ts";

/** How long the server waits for Redis before it starts without it, in milliseconds. */
const firstConnectionMs = 2_000;

/** Opens the stores, and waits until they can be used. @throws Error that says in one line why Redis cannot be used */
export async function openStores(life: Life, metrics: ServiceMetrics | undefined): Promise<Stores> {
  const { config, log, opened, listening, broken, onReload } = life;
  const { history, auditLength, orders } = config;
  const limits = { history, auditLength, orders };
  if (config.redis === undefined) {
    const { createMemoryStores } = await import("../stores/memory/stores.ts");
    return createMemoryStores(Date.now, limits);
  }
  let isQuiet = true;
  const report = atMostEvery(1_000, (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    writeLine(log, "redisUnavailable", { reason });
  });
  const outages = createRedisOutages(log);
  const stores = createRedisStores(config.redis, {
    ...limits,
    outages,
    ...(metrics && { onReply: metrics.onReply, onListRead: metrics.onListRead }),
    // If the service cannot start, the error that ends it says why.
    onFailure: (error) => isQuiet || report(error),
    onFinding({ level, message }) {
      // Workers would find the same. If the service cannot start, its only output is the reason.
      if (isFirst) listening.promise.then(() => log[level](message));
    },
    onClockSetBack(stepMs) {
      metrics?.onClockSetBack();
      writeLine(log, "redisClockSetBack", { stepMs });
    },
    onAmended: (accountId, amended) =>
      writeLine(log, amended === "listed" ? "accountListed" : "accountDeletedAgain", { accountId }),
    onUnusable({ message }) {
      if (isQuiet) return;
      writeLine(log, "unusableData", { reason: message });
      process.exitCode = 1;
      broken.resolve("unusable data");
    },
  });
  opened.defer(stores.close);
  // Closing fails the commands under way.
  opened.defer(() => {
    isQuiet = true;
  });
  onReload.add(() => reconnect(stores, log));
  await stores.ready(firstConnectionMs).catch(({ cause }: Error) => {
    // A worker that replaces another one starts in any case. Its requests get 503 until Redis is available.
    if (cause instanceof FormatError || (cause instanceof Error && isFirst)) throw cause;
    writeLine(log, "redisSilent", {});
  });
  isQuiet = false;
  outages.announce();
  return stores;
}

/** Connects to Redis with the password and certificates that the files have now. */
async function reconnect(stores: Stores, log: Log): Promise<void> {
  try {
    await stores.reconnect();
    writeLine(log, "redisReconnected", {});
  } catch (error) {
    writeLine(log, "redisNotReconnected", { err: error });
  }
}
