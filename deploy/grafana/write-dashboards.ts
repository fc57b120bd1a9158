/**
 * Writes the dashboards, `overview.json` and `stores.json`. Change them here, then run `npm run generate`.
 *
 * Each panel is a title, a unit, and the expressions of its lines with their legends.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

type Unit = "percentunit" | "reqps" | "s" | "bytes" | "short" | "cps" | "dateTimeFromNow";

interface Panel {
  readonly title: string;
  readonly unit: Unit;
  /** One number instead of a graph. */
  readonly isStat?: boolean;
  /** Says what the panel shows, if the title does not. */
  readonly description?: string;
  /** Expressions by their legends. `{{label}}` in a legend is replaced by Grafana. */
  readonly lines: Readonly<Record<string, string>>;
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Restricts a metric to what is chosen at the top of the dashboard. */
const by = (labels = "") => `{job="$job", instance=~"$instance"${labels && `, ${labels}`}}`;
const per = (metric: string, labels?: string) => `rate(${metric}${by(labels)}[$__rate_interval])`;
const quantile = (q: number, metric: string, ...groups: readonly string[]) =>
  `histogram_quantile(${q}, sum by (${["le", ...groups].join(", ")}) (${per(`${metric}_bucket`)}))`;
const gauge = (metric: string, labels?: string) => `${metric}${by(labels)}`;

const http = "http_server_request_duration_seconds";
const rpc = "rpc_server_call_duration_seconds";
const redis = "db_client_operation_duration_seconds";

/** The share of requests that meet an objective, in the time that the dashboard shows. */
const met = (bad: string, all: string) =>
  `1 - sum_over_time(job:${bad}:rate5m{job="$job"}[$__range]) / sum_over_time(job:${all}:rate5m{job="$job"}[$__range])`;
const availability = met("inventory_failed_requests", "inventory_requests");
const latency = met("inventory_slow_requests", "inventory_timed_requests");

const objectives: Row = {
  title: "Objectives, in the time shown (choose 30 days for the whole budget)",
  panels: [
    {
      title: "Availability (objective 99.9 %)",
      unit: "percentunit",
      isStat: true,
      lines: { "": availability },
    },
    {
      title: "Error budget left",
      unit: "percentunit",
      isStat: true,
      lines: { "": `1 - (1 - (${availability})) / 0.001` },
    },
    {
      title: "Answered within 100 ms (objective 99 %)",
      unit: "percentunit",
      isStat: true,
      lines: { "": latency },
    },
    {
      title: "Latency budget left",
      unit: "percentunit",
      isStat: true,
      lines: { "": `1 - (1 - (${latency})) / 0.01` },
    },
    {
      title: "Firing alerts",
      unit: "short",
      isStat: true,
      lines: { "": 'count(ALERTS{alertname=~"Inventory.*", alertstate="firing"}) or vector(0)' },
    },
    {
      title: "Failed requests",
      unit: "percentunit",
      description: "A page follows above 1.44 % for an hour, or 0.6 % for six hours.",
      lines: {
        "5 minutes": 'job:inventory_failed_requests:ratio_rate5m{job="$job"}',
        "1 hour": 'job:inventory_failed_requests:ratio_rate1h{job="$job"}',
        "6 hours": 'job:inventory_failed_requests:ratio_rate6h{job="$job"}',
      },
    },
    {
      title: "Slow requests",
      unit: "percentunit",
      description: "A page follows above 14.4 % for an hour, or 6 % for six hours.",
      lines: {
        "5 minutes": 'job:inventory_slow_requests:ratio_rate5m{job="$job"}',
        "1 hour": 'job:inventory_slow_requests:ratio_rate1h{job="$job"}',
        "6 hours": 'job:inventory_slow_requests:ratio_rate6h{job="$job"}',
      },
    },
  ],
};

const overview: readonly Row[] = [
  objectives,
  {
    title: "Requests",
    panels: [
      {
        title: "Requests by protocol",
        unit: "reqps",
        lines: {
          "JSON over HTTP": `sum(${per(`${http}_count`)})`,
          "{{rpc_system_name}}": `sum by (rpc_system_name) (${per(`${rpc}_count`)})`,
        },
      },
      {
        title: "Responses by code",
        unit: "reqps",
        lines: {
          "{{http_response_status_code}}": `sum by (http_response_status_code) (${per(`${http}_count`)})`,
          "{{rpc_response_status_code}}": `sum by (rpc_response_status_code) (${per(`${rpc}_count`)})`,
        },
      },
      {
        title: "Time to respond over HTTP",
        unit: "s",
        lines: {
          "50 %": quantile(0.5, http),
          "99 %": quantile(0.99, http),
          "99.9 %": quantile(0.999, http),
        },
      },
      {
        title: "Time to respond over RPC",
        unit: "s",
        lines: {
          "50 %": quantile(0.5, rpc),
          "99 %": quantile(0.99, rpc),
          "99.9 %": quantile(0.999, rpc),
        },
      },
      {
        title: "99 % of requests by route and method",
        unit: "s",
        lines: {
          "{{http_request_method}} {{http_route}}": quantile(
            0.99,
            http,
            "http_request_method",
            "http_route",
          ),
          "{{rpc_method}}": quantile(0.99, rpc, "rpc_method"),
        },
      },
      {
        title: "Admission",
        unit: "reqps",
        lines: {
          "{{verdict}}": `sum by (verdict) (${per("inventory_admission_decisions_total")})`,
        },
      },
    ],
  },
  {
    title: "Use",
    panels: [
      {
        title: "Changes by reason",
        unit: "cps",
        lines: { "{{reason}}": `sum by (reason) (${per("inventory_changes_total")})` },
      },
      {
        title: "Conflicts and repetitions",
        unit: "cps",
        lines: {
          "conflict: {{kind}}": `sum by (kind) (${per("inventory_conflicts_total")})`,
          "same idempotency key": `sum(${per("inventory_idempotent_replays_total")})`,
        },
      },
      {
        title: "Bans by level",
        unit: "short",
        lines: {
          "{{level}}": `sum by (level) (increase(inventory_bans_total${by()}[$__rate_interval]))`,
        },
      },
      { title: "Watches", unit: "short", lines: { "{{instance}}": gauge("inventory_watches") } },
      {
        title: "Slowest watch",
        unit: "short",
        description: "In changes. The watch ends at the limit, WATCH_BACKLOG.",
        lines: {
          "{{instance}}": gauge("inventory_watch_lag_changes"),
          limit: `max(${gauge("inventory_watch_backlog_limit_changes")})`,
        },
      },
    ],
  },
  {
    title: "Processes",
    panels: [
      {
        title: "CPU, in cores",
        unit: "short",
        lines: { "{{instance}}": per("process_cpu_seconds_total") },
      },
      {
        title: "Memory",
        unit: "bytes",
        lines: { "{{instance}}": gauge("process_resident_memory_bytes") },
      },
      {
        title: "Event-loop delay, 99 %",
        unit: "s",
        lines: { "{{instance}}": gauge("nodejs_eventloop_delay_p99_seconds") },
      },
      {
        title: "Garbage collection",
        unit: "percentunit",
        description: "Share of the time that the process is stopped for it.",
        lines: {
          "{{v8js_gc_type}}": `sum by (v8js_gc_type) (${per("v8js_gc_duration_seconds_sum")})`,
        },
      },
      {
        title: "Requests in flight, of the limit",
        unit: "percentunit",
        lines: {
          "{{instance}} {{kind}}": `${gauge("inventory_requests_in_flight")} / ${gauge("inventory_requests_limit")}`,
        },
      },
      {
        title: "Connections",
        unit: "short",
        lines: { "HTTP/{{http}}": `sum by (http) (${gauge("inventory_connections")})` },
      },
      {
        title: "Refused because of overload",
        unit: "reqps",
        lines: { "{{cause}}": `sum by (cause) (${per("inventory_overload_refusals_total")})` },
      },
      {
        title: "Internal errors and replaced workers",
        unit: "short",
        lines: {
          "internal errors": `sum(increase(inventory_faults_total${by()}[$__rate_interval]))`,
          "replaced workers": `sum(increase(inventory_worker_restarts_total${by()}[$__rate_interval]))`,
        },
      },
      {
        title: "Spans",
        unit: "cps",
        lines: {
          exported: `sum(${per("inventory_spans_exported_total")})`,
          dropped: `sum(${per("inventory_spans_dropped_total")})`,
        },
      },
      {
        title: "Certificate expires",
        unit: "dateTimeFromNow",
        isStat: true,
        lines: { "{{instance}}": `1000 * ${gauge("inventory_tls_certificate_not_after_seconds")}` },
      },
    ],
  },
];

const stores: readonly Row[] = [
  {
    title: "Redis",
    panels: [
      {
        title: "Processes that can use Redis",
        unit: "percentunit",
        isStat: true,
        lines: { "{{node}}": `avg by (node) (${gauge("inventory_redis_up")})` },
      },
      {
        title: "Replicas",
        unit: "short",
        isStat: true,
        lines: { "{{node}}": `min by (node) (${gauge("inventory_redis_replicas")})` },
      },
      {
        title: "Last save succeeded",
        unit: "short",
        isStat: true,
        lines: { "{{node}}": `min by (node) (${gauge("inventory_redis_last_save_ok")})` },
      },
      {
        title: "Memory",
        unit: "bytes",
        lines: {
          "{{node}} used": `max by (node) (${gauge("inventory_redis_memory_used_bytes")})`,
          "{{node}} limit": `max by (node) (${gauge("inventory_redis_memory_max_bytes")} > 0)`,
        },
      },
      {
        title: "Lag of the slowest replica",
        unit: "s",
        lines: {
          "{{node}} lag": `max by (node) (${gauge("inventory_redis_replica_lag_seconds")})`,
        },
      },
    ],
  },
  {
    title: "Calls to Redis",
    panels: [
      {
        title: "Calls",
        unit: "cps",
        lines: {
          "{{db_operation_name}} {{db_stored_procedure_name}}": `sum by (db_operation_name, db_stored_procedure_name) (${per(`${redis}_count`)})`,
        },
      },
      {
        title: "Failed calls",
        unit: "cps",
        lines: {
          "{{error_type}}": `sum by (error_type) (${per(`${redis}_count`, 'error_type!=""')})`,
        },
      },
      {
        title: "Time of a call",
        unit: "s",
        lines: {
          "50 %": quantile(0.5, redis),
          "99 %": quantile(0.99, redis),
          "99.9 %": quantile(0.999, redis),
        },
      },
      {
        title: "99 % of calls by script",
        unit: "s",
        lines: {
          "{{db_operation_name}} {{db_stored_procedure_name}}": quantile(
            0.99,
            redis,
            "db_operation_name",
            "db_stored_procedure_name",
          ),
        },
      },
      {
        title: "Requests that share a call",
        unit: "short",
        lines: { "{{batch}}, 99 %": quantile(0.99, "inventory_batch_size", "batch") },
      },
      {
        title: "Time budget used",
        unit: "percentunit",
        description:
          "The time until a reply, as a share of the time allowed: 300 ms, or 150 ms while Redis is slow.",
        lines: { "99 %": quantile(0.99, "inventory_time_budget_used_ratio") },
      },
    ],
  },
  {
    title: "Cached list and history",
    panels: [
      {
        title: "Reads of the cached list",
        unit: "cps",
        lines: { "{{result}}": `sum by (result) (${per("inventory_list_cache_reads_total")})` },
      },
      {
        title: "Changes in the history",
        unit: "short",
        lines: {
          changes: `max(${gauge("inventory_history_changes")})`,
          limit: `max(${gauge("inventory_history_limit")})`,
        },
      },
      {
        title: "Age of the oldest change",
        unit: "s",
        lines: { age: `max(${gauge("inventory_history_oldest_change_age_seconds")})` },
      },
    ],
  },
];

/** Columns of Grafana's grid. */
const columns = 24;

/** Lays out the rows: small numbers first, then graphs, two next to each other. */
function layOut(rows: readonly Row[]): unknown[] {
  const placed: unknown[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    placed.push({
      id: placed.length + 1,
      type: "row",
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: columns, h: 1 },
      panels: [],
    });
    y += 1;
    let x = 0;
    let height = 0;
    const stats = panels.filter(({ isStat }) => isStat).length;
    for (const panel of [...panels].sort((a, b) => Number(b.isStat ?? 0) - Number(a.isStat ?? 0))) {
      const [w, h] = panel.isStat ? [Math.floor(columns / Math.max(stats, 3)), 4] : [12, 8];
      if (x + w > columns || (height > 0 && height !== h)) {
        x = 0;
        y += height;
      }
      height = h;
      placed.push({ id: placed.length + 1, ...drawn(panel), gridPos: { x, y, w, h } });
      x += w;
    }
    y += height;
  }
  return placed;
}

function drawn({ title, unit, isStat, description, lines }: Panel): object {
  return {
    type: isStat ? "stat" : "timeseries",
    title,
    ...(description && { description }),
    datasource: { type: "prometheus", uid: "$datasource" },
    fieldConfig: { defaults: { unit, min: 0, ...(isStat && { decimals: 3 }) }, overrides: [] },
    targets: Object.entries(lines).map(([legendFormat, expr], index) => ({
      refId: String.fromCharCode(65 + index),
      expr,
      legendFormat,
    })),
  };
}

/** The choices at the top of a dashboard. */
const choices = [
  { name: "datasource", label: "Data source", type: "datasource", query: "prometheus" },
  query("job", "Job", "label_values(inventory_build_info, job)", false),
  query("instance", "Process", 'label_values(inventory_build_info{job="$job"}, instance)', true),
];

function query(name: string, label: string, definition: string, hasAll: boolean): object {
  return {
    name,
    label,
    type: "query",
    datasource: { type: "prometheus", uid: "$datasource" },
    definition,
    query: { query: definition, refId: name },
    refresh: 2,
    multi: hasAll,
    includeAll: hasAll,
    ...(hasAll && { current: { text: "All", value: "$__all" } }),
  };
}

function write(uid: string, title: string, rows: readonly Row[]): void {
  const dashboard = {
    uid: `inventory-${uid}`,
    title,
    description: "Made by deploy/grafana/write-dashboards.ts of the inventory service.",
    tags: ["inventory"],
    schemaVersion: 38,
    version: 1,
    editable: true,
    time: { from: "now-6h", to: "now" },
    refresh: "30s",
    templating: { list: choices },
    annotations: {
      list: [
        {
          name: "Firing alerts",
          enable: true,
          iconColor: "red",
          datasource: { type: "prometheus", uid: "$datasource" },
          expr: 'ALERTS{alertname=~"Inventory.*", alertstate="firing"}',
          titleFormat: "{{alertname}}",
        },
      ],
    },
    panels: layOut(rows),
  };
  const file = join(import.meta.dirname, `${uid}.json`);
  writeFileSync(file, `${JSON.stringify(dashboard, undefined, 2)}\n`);
}

write("overview", "Inventory: overview", overview);
write("stores", "Inventory: Redis and stores", stores);
