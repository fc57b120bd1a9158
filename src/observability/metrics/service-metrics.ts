import { X509Certificate } from "node:crypto";
import { ConnectError } from "@connectrpc/connect";
import type { Exchange } from "connect-gateway";
import { codeName, type RequestRecord } from "connect-gateway/call";
import { banLadderMs } from "../../access/bans.ts";
import type { Config } from "../../config/config.ts";
import type { Reply } from "../../stores/redis/connection/operation.ts";
import { metrics } from "./definitions.ts";
import { add, type Metric, observe, type Series, set } from "./metric.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { createRequestMetrics } from "./request-metrics.ts";

/** The state of the server that is read at each scrape. */
export interface ServerState {
  /** Open connections, by the version of HTTP. */
  readonly connections: { readonly http1: number; readonly http2: number };
  readonly inFlight: Readonly<Record<"unary" | "stream" | "public", number>>;
  /** Open watches, and how many changes the slowest one is behind. */
  readonly watches: number;
  readonly watchLag: number;
  /** Keys in use that expire soon. */
  readonly keysExpiring: number;
}

/** The settings that are limits of other metrics. */
type Limits = Pick<Config, "maxConnections" | "inFlight" | "history" | "watch">;

export type ServiceMetrics = ReturnType<typeof createServiceMetrics>;

/** Creates the metrics of a process, with functions that count. Each part of the service knows only its own. */
export function createServiceMetrics() {
  const registry = createRegistry();
  const count = createRequestMetrics(registry);
  const overload = registry.family(metrics.overload);
  const listReads = registry.family(metrics.listReads);
  const bans = registry.family(metrics.bans);
  const counterOf = (metric: Metric) => {
    const series = registry.family(metric).with();
    return (amount?: number) => add(series, amount);
  };
  // Alerts on rates need series that exist before the first event.
  for (const cause of ["in_flight", "share", "backlog", "queue"]) overload.with(cause);
  for (const level of banLadderMs.keys()) bans.with(String(level + 1));
  const readsOf = {
    hit: listReads.with("hit"),
    refresh: listReads.with("refresh"),
    reload: listReads.with("reload"),
  };
  registry.family(metrics.workers);
  return {
    registry,
    onRequestEnd: (record: RequestRecord, request: Pick<Exchange, "method"> | undefined) =>
      count(record, request?.method),
    onReply: createReplyMetrics(registry),
    onClockSetBack: counterOf(metrics.clockSteps),
    onListRead: (result: keyof typeof readsOf) => add(readsOf[result]),
    onFault: counterOf(metrics.faults),
    onUsageDropped: counterOf(metrics.usageDropped),
    onSpansExported: counterOf(metrics.spansExported),
    onSpansDropped: counterOf(metrics.spansDropped),
    onOverload: (cause: string) => add(overload.with(cause)),
    onBan: ({ level }: { readonly level: number }) => add(bans.with(String(level))),
    /** Sets when the server's certificate expires. @param chain the certificate in use, with those of its issuers */
    onCertificate(chain: Buffer): void {
      const { validToDate } = new X509Certificate(chain);
      set(registry.family(metrics.certificateEnd).with("server"), validToDate.getTime() / 1_000);
    },
    /** @param state returns the state at each scrape */
    follow: (state: () => ServerState, limits: Limits) => followServer(registry, state, limits),
  };
}

/** The script that reads for all calls of a tick together, but knows only those that are traced. */
const sharedRead = "changes-since";

/** Makes the function that counts the replies of Redis. The series of each kind of command are found once. */
function createReplyMetrics(registry: Registry): (reply: Reply) => void {
  const duration = registry.family(metrics.storeDuration);
  const batchSize = registry.family(metrics.batchSize);
  const budgetUsed = registry.family(metrics.timeBudgetUsed).with();
  const succeeded = new Map<Reply["operation"], Series>();
  const sizes = new Map<Reply["operation"], Series>();

  function seriesOf({ command, script = "" }: Reply["operation"], error: string): Series {
    return duration.with("redis", command, script, error);
  }

  return (reply) => {
    const { operation, ms, budgetMs, calls } = reply;
    const series =
      reply.error === undefined
        ? succeeded.getOrInsertComputed(operation, () => seriesOf(operation, ""))
        : seriesOf(operation, errorType(reply));
    observe(series, ms / 1_000);
    observe(budgetUsed, ms / budgetMs);
    if (calls.length > 0 && operation.script !== sharedRead) {
      const { script, command } = operation;
      const size = sizes.getOrInsertComputed(operation, () => batchSize.with(script ?? command));
      observe(size, calls.length);
    }
  };
}

/** Returns a short name of the error, of which there are few. */
function errorType({ error, ms, budgetMs }: Reply): string {
  if (ms >= budgetMs) return "timeout";
  return error instanceof ConnectError ? codeName("connect", error.code) : "_OTHER";
}

function followServer(registry: Registry, state: () => ServerState, limits: Limits): void {
  const gauge = (metric: Metric) => registry.family(metric).with();
  const connections = registry.family(metrics.connections);
  const inFlight = registry.family(metrics.inFlight);
  const inFlightLimit = registry.family(metrics.inFlightLimit);
  const { maxRequests, maxStreams } = limits.inFlight;
  set(inFlightLimit.with("unary"), maxRequests);
  set(inFlightLimit.with("stream"), maxStreams);
  set(inFlightLimit.with("public"), maxRequests);
  set(gauge(metrics.connectionsLimit), limits.maxConnections);
  set(gauge(metrics.historyLimit), limits.history.length);
  set(gauge(metrics.watchBacklog), limits.watch.backlog);
  set(gauge(metrics.workers), 1);
  registry.beforeSnapshot(() => {
    const now = state();
    set(connections.with("1.1"), now.connections.http1);
    set(connections.with("2"), now.connections.http2);
    for (const [kind, open] of Object.entries(now.inFlight)) set(inFlight.with(kind), open);
    set(gauge(metrics.watches), now.watches);
    set(gauge(metrics.watchLag), now.watchLag);
    set(gauge(metrics.keysExpiring), now.keysExpiring);
  });
}
