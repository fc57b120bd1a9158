import type { ServerStatus } from "../../stores/stores.ts";
import type { Snapshot } from "../metrics/registry.ts";

/** What a process reports about itself. It can be sent to another process. */
export interface ProcessReport {
  readonly snapshot: Snapshot;
  readonly isStopping: boolean;
  /** The servers of Redis, as this process sees them. */
  readonly servers: readonly ServerStatus[];
}

/** What the whole service reports: of one process, or of its worker processes. */
export interface ServiceReport {
  readonly snapshot: Snapshot;
  /** The reports of the processes that serve requests. */
  readonly processes: readonly ProcessReport[];
  /** The number of processes that should serve requests. */
  readonly expected: number;
  /** The number of processes that did not report in time. */
  readonly silent: number;
}

/** Makes the state of the service, with its reasons, from the reports of its processes. */
export function healthOf({ processes, expected, silent }: ServiceReport) {
  const redis = combine(processes.flatMap(({ servers }) => servers));
  const processCounts = { expected, serving: processes.length, silent };
  return { status: statusOf(processes, redis), processes: processCounts, redis };
}

type RedisHealth = ReturnType<typeof combine>;

/** Returns `ok`, or the reason why the service is not ready. */
function statusOf(processes: ServiceReport["processes"], redis: RedisHealth) {
  if (processes.length === 0) return "workers_missing";
  if (processes.some(({ isStopping }) => isStopping)) return "draining";
  return redis.some(({ status }) => status !== "ok") ? "redis_unavailable" : "ok";
}

/** Combines the states of each server: why it refuses commands, such as LOADING, or its longest reply in milliseconds. */
function combine(servers: readonly ServerStatus[]) {
  const byAddress = Object.entries(Object.groupBy(servers, ({ address }) => address));
  return byAddress.map(([address, seen = []]) => {
    const replies = seen.filter((server) => server.latencyMs !== undefined);
    if (replies.length < seen.length) return { address, status: "no_reply" };
    const reason = replies.find(({ refusal }) => refusal !== undefined)?.refusal;
    if (reason !== undefined) return { address, status: "refuses_commands", reason };
    const longest = replies.reduce((most, { latencyMs }) => Math.max(most, latencyMs), 0);
    return { address, status: "ok", latencyMs: Math.round(longest * 100) / 100 };
  });
}
