import type { Metric } from "./metric.ts";

/** Bounds for times, in seconds, from 0.1 ms. */
const durations = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** What the table says of a metric, in addition to its name and type. */
type About = Omit<Metric, "name" | "type">;

const counter = <const A extends About>(name: string, about: A) =>
  ({ name, type: "counter", ...about }) as const;
const gauge = <const A extends About>(name: string, about: A) =>
  ({ name, type: "gauge", ...about }) as const;
/** A gauge of which the highest of all processes counts. */
const highest = <const A extends About>(name: string, about: A) =>
  ({ name, type: "gauge", merge: "max", ...about }) as const;
const histogram = <const A extends About>(name: string, about: A) =>
  ({ name, type: "histogram", ...about }) as const;

/**
 * Every metric of the service, from which docs/operator/metrics.md is generated. Names and units follow the semantic
 * conventions of OpenTelemetry as Prometheus spells them (https://opentelemetry.io/docs/specs/semconv/); those of our own
 * begin with `inventory_`. No label may have values that clients choose, such as a path or a key.
 */
export const metrics = {
  rpcDuration: histogram("rpc_server_call_duration_seconds", {
    labels: ["rpc_system_name", "rpc_method", "rpc_response_status_code"],
    buckets: durations,
    help: "Time from the complete header section of an RPC to the end of its response. For a stream, this is its whole life.",
  }),
  httpDuration: histogram("http_server_request_duration_seconds", {
    labels: ["http_request_method", "http_route", "http_response_status_code"],
    buckets: durations,
    help: "Time from the complete header section of a request that is not an RPC to the end of its response. 499: the client disconnected first.",
  }),
  storeDuration: histogram("db_client_operation_duration_seconds", {
    labels: ["db_system_name", "db_operation_name", "db_stored_procedure_name", "error_type"],
    buckets: durations,
    help: "Time from sending commands to Redis until their reply or failure. Requests of one event-loop tick share a script call.",
  }),
  admissions: counter("inventory_admission_decisions", {
    labels: ["verdict", "plan"],
    help: "Requests, by the decision of admission and the plan of the account.",
  }),
  batchSize: histogram("inventory_batch_size", {
    labels: ["batch"],
    buckets: [1, 2, 4, 8, 16, 32, 64, 100],
    help: "Requests that share a script call.",
  }),
  timeBudgetUsed: histogram("inventory_time_budget_used_ratio", {
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1],
    help: "Time until a reply of Redis, as a share of the time allowed. Above 1, the command failed.",
  }),
  listReads: counter("inventory_list_cache_reads", {
    labels: ["result"],
    help: "Reads of the cached list: hit (nothing had changed), refresh (changes were applied), reload (all items were read).",
  }),
  changes: counter("inventory_changes", {
    labels: ["reason"],
    help: "Requests that changed the stock, by the reason of the change. A batch counts once.",
  }),
  conflicts: counter("inventory_conflicts", {
    labels: ["kind"],
    help: "Changes that were refused because of the state of the stock or of an order.",
  }),
  replays: counter("inventory_idempotent_replays", {
    help: "Repeated requests that got the stored response of the first one.",
  }),
  bans: counter("inventory_bans", {
    labels: ["level"],
    help: "Bans of keys, by their level. Higher levels last longer.",
  }),
  keysExpiring: highest("inventory_keys_expiring", {
    help: "Keys that a process has admitted in the last day and that expire within 14 days. Every process counts the keys that it has seen.",
  }),
  usageDropped: counter("inventory_usage_dropped_requests", {
    help: "Requests that may be missing in reports of usage, because Redis did not confirm their counts, or too many counts waited. Limits are not affected.",
  }),
  clockSteps: counter("inventory_redis_clock_set_back", {
    help: "Times that a process has found the clock of Redis set back by more than a second.",
  }),
  watches: gauge("inventory_watches", { help: "Open watches of the stock." }),
  watchLag: highest("inventory_watch_lag_changes", {
    help: "Number of changes that the slowest watch is behind.",
  }),
  watchBacklog: highest("inventory_watch_backlog_limit_changes", {
    help: "Changes that a watch may be behind (`WATCH_BACKLOG`).",
  }),
  connections: gauge("inventory_connections", {
    labels: ["http"],
    help: "Open connections, by the version of HTTP: 1.1 or 2.",
  }),
  connectionsLimit: gauge("inventory_connections_limit", {
    help: "Maximum number of open connections (`MAX_CONNECTIONS`).",
  }),
  inFlight: gauge("inventory_requests_in_flight", {
    labels: ["kind"],
    help: "Open requests, by kind: unary, stream, or public (needs no key).",
  }),
  inFlightLimit: gauge("inventory_requests_limit", {
    labels: ["kind"],
    help: "Maximum number of open requests (`MAX_REQUESTS_IN_FLIGHT`, `MAX_STREAMS`).",
  }),
  overload: counter("inventory_overload_refusals", {
    labels: ["cause"],
    help: "Requests refused because of overload: in_flight (too many open requests), share (the client or account has reached its maximum), backlog (they would have waited too long), queue (they waited too long for admission).",
  }),
  historyChanges: highest("inventory_history_changes", {
    help: "Changes in the history of the stock.",
  }),
  historyLimit: highest("inventory_history_limit", {
    help: "Maximum number of changes in the history (`HISTORY_LENGTH`).",
  }),
  historyAge: highest("inventory_history_oldest_change_age_seconds", {
    help: "Age of the oldest change in the history. A watch can resume after an interruption of at most this time.",
  }),
  holds: highest("inventory_holds", {
    help: "Active holds of all accounts, including expired ones that no sweep has ended yet.",
  }),
  heldUnits: highest("inventory_held_units", {
    help: "Units that active holds have taken out of the stock.",
  }),
  holdsEnded: highest("inventory_holds_ended", {
    labels: ["state"],
    help: "Holds that have ended since the data exists: confirmed, released or expired.",
  }),
  redisUp: gauge("inventory_redis_up", {
    labels: ["node"],
    merge: "min",
    help: "Whether a server of Redis accepts the service's commands.",
  }),
  redisMemory: highest("inventory_redis_memory_used_bytes", {
    labels: ["node"],
    help: "Memory that a server of Redis uses.",
  }),
  redisMemoryMax: highest("inventory_redis_memory_max_bytes", {
    labels: ["node"],
    help: "Maximum memory of a server of Redis; 0 for no limit.",
  }),
  redisReplicas: highest("inventory_redis_replicas", {
    labels: ["node"],
    help: "Connected replicas of a server of Redis.",
  }),
  redisReplicaLag: highest("inventory_redis_replica_lag_seconds", {
    labels: ["node"],
    help: "Time since the last acknowledgment of the slowest replica.",
  }),
  redisLastSave: gauge("inventory_redis_last_save_ok", {
    labels: ["node"],
    merge: "min",
    help: "Whether the last snapshot and the last write of the append-only file succeeded.",
  }),
  certificateEnd: gauge("inventory_tls_certificate_not_after_seconds", {
    labels: ["certificate"],
    merge: "min",
    help: "Unix time at which a TLS certificate expires.",
  }),
  workerRestarts: counter("inventory_worker_restarts", {
    help: "Worker processes that ended unexpectedly and were replaced.",
  }),
  workers: gauge("inventory_workers", { help: "Processes that serve requests." }),
  workersSilent: gauge("inventory_workers_silent", {
    help: "Worker processes that did not send their metrics in time. Their last metrics count instead.",
  }),
  spansDropped: counter("inventory_spans_dropped", {
    help: "Spans that were dropped because the queue was full or the collector did not accept them.",
  }),
  spansExported: counter("inventory_spans_exported", {
    help: "Spans that the collector has accepted.",
  }),
  logLinesDropped: counter("inventory_log_lines_dropped", {
    help: "Log lines that were not written because there were too many.",
  }),
  faults: counter("inventory_faults", {
    help: "Internal errors because of bugs. The log has the details.",
  }),
  buildInfo: highest("inventory_build_info", {
    labels: ["version", "node"],
    help: "The versions of the service and of Node. The value is always 1.",
  }),
  relayDeliveries: counter("inventory_relay_deliveries", {
    labels: ["relay", "result"],
    help: "Attempts of a [relay](relay.md) to deliver a change, by result: delivered or failed.",
  }),
  relayLag: highest("inventory_relay_lag_seconds", {
    labels: ["relay"],
    help: "Age of the oldest change that a relay has read and not delivered; 0 if there is none.",
  }),
  relayActive: highest("inventory_relay_active", {
    labels: ["relay"],
    help: "1 while the process of a relay has its name, 0 while it waits for another process.",
  }),
  eventLoopDelayP50: highest("nodejs_eventloop_delay_p50_seconds", {
    help: "Median delay of the event loop since the last scrape.",
  }),
  eventLoopDelayP99: highest("nodejs_eventloop_delay_p99_seconds", {
    help: "99th percentile of the delay of the event loop since the last scrape.",
  }),
  eventLoopDelayMax: highest("nodejs_eventloop_delay_max_seconds", {
    help: "Maximum delay of the event loop since the last scrape.",
  }),
  eventLoopUtilization: highest("nodejs_eventloop_utilization_ratio", {
    help: "Share of the time since the last scrape in which the event loop was busy.",
  }),
  gcDuration: histogram("v8js_gc_duration_seconds", {
    labels: ["v8js_gc_type"],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    help: "Pauses for garbage collection, by type: minor, major, incremental or weakcb.",
  }),
  cpu: counter("process_cpu_seconds", {
    help: "User and system CPU time of all processes of the service.",
  }),
  residentMemory: gauge("process_resident_memory_bytes", {
    help: "Resident memory of all processes of the service.",
  }),
  startTime: gauge("process_start_time_seconds", {
    merge: "min",
    help: "Unix time at which the service was started.",
  }),
  openFiles: highest("process_open_fds", {
    help: "Open file descriptors of the process that has the most.",
  }),
  maxFiles: gauge("process_max_fds", {
    merge: "min",
    help: "Limit of open file descriptors of a process.",
  }),
} satisfies Record<string, Metric>;

export const allMetrics: readonly Metric[] = Object.values(metrics);
