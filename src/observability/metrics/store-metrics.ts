import type { ServerStatus, StoresStatus } from "../../stores/stores.ts";
import { metrics } from "./definitions.ts";
import { type Metric, set } from "./metric.ts";
import type { Registry } from "./registry.ts";

/** Least time between two reads of the servers' state, in milliseconds, however often a scraper comes. */
const pauseMs = 3_000;

/** Makes a function that reads the state of the stores, and sets their metrics. Calls within three seconds share a read. */
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

/** The metrics of each server of Redis that has replied, and their values. */
const ofServer: readonly [metric: Metric, read: (server: Replied) => number][] = [
  [metrics.redisMemory, ({ memoryUsed }) => memoryUsed],
  [metrics.redisMemoryMax, ({ memoryMax }) => memoryMax],
  [metrics.redisReplicas, ({ replicas }) => replicas],
  [metrics.redisReplicaLag, ({ replicaLagSeconds }) => replicaLagSeconds],
  [metrics.redisLastSave, ({ isSaved }) => Number(isSaved)],
];

type Replied = Extract<ServerStatus, { latencyMs: number }>;

function setMetrics(registry: Registry, { servers, history, holds }: StoresStatus): void {
  const up = registry.family(metrics.redisUp);
  // After a failover, a former primary must not be reported any more.
  up.clear();
  for (const server of servers) {
    const isUp = server.latencyMs !== undefined && server.refusal === undefined;
    set(up.with(server.address), Number(isUp));
  }
  const replied = servers.filter((server) => server.latencyMs !== undefined);
  for (const [metric, read] of ofServer) {
    const family = registry.family(metric);
    family.clear();
    for (const server of replied) set(family.with(server.address), read(server));
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
