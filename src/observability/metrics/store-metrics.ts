import type { StoresStatus } from "../../stores/stores.ts";
import { metrics } from "./definitions.ts";
import { set } from "./metric.ts";
import type { Registry } from "./registry.ts";

/** Least time between two reads of the servers' state, in milliseconds, however often a scraper comes. */
const pauseMs = 3_000;

/**
 * Makes a function that reads the state of the stores, and sets their metrics. Within three seconds, all calls share one
 * read.
 */
export function createStoreMetrics(
  registry: Registry,
  read: () => Promise<StoresStatus>,
): () => Promise<StoresStatus> {
  let latest: Promise<StoresStatus> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (latest && performance.now() - readAt < pauseMs) return latest;
    readAt = performance.now();
    latest = read().then((status) => {
      setMetrics(registry, status);
      return status;
    });
    return latest;
  };
}

function setMetrics(registry: Registry, { servers, history, holds }: StoresStatus): void {
  const families = {
    up: registry.family(metrics.redisUp),
    memory: registry.family(metrics.redisMemory),
    memoryMax: registry.family(metrics.redisMemoryMax),
    replicas: registry.family(metrics.redisReplicas),
    replicaLag: registry.family(metrics.redisReplicaLag),
    lastSave: registry.family(metrics.redisLastSave),
  };
  // After a failover, a former primary must not be reported any more.
  for (const family of Object.values(families)) family.clear();
  for (const server of servers) {
    const { address } = server;
    const isUp = server.latencyMs !== undefined && server.refusal === undefined;
    set(families.up.with(address), isUp ? 1 : 0);
    if (server.latencyMs === undefined) continue;
    set(families.memory.with(address), server.memoryUsed);
    set(families.memoryMax.with(address), server.memoryMax);
    set(families.replicas.with(address), server.replicas);
    set(families.replicaLag.with(address), server.replicaLagSeconds);
    set(families.lastSave.with(address), server.isSaved ? 1 : 0);
  }
  if (holds) {
    set(registry.family(metrics.holds).with(), holds.active);
    set(registry.family(metrics.heldUnits).with(), holds.units);
    for (const state of ["confirmed", "released", "expired"] as const) {
      set(registry.family(metrics.holdsEnded).with(state), holds[state]);
    }
  }
  if (!history) return;
  const { changes, oldestAt } = history;
  set(registry.family(metrics.historyChanges).with(), changes);
  const age = oldestAt === undefined ? 0 : Math.max(0, Date.now() - oldestAt) / 1_000;
  set(registry.family(metrics.historyAge).with(), age);
}
