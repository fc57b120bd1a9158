import type { Metric } from "./metric.ts";
import type { Snapshot } from "./registry.ts";

/** https://prometheus.io/docs/specs/om/open_metrics_spec/ */
export const openMetrics = {
  contentType: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  write: (metrics: readonly Metric[], snapshot: Snapshot) =>
    `${metrics.map((metric) => family(metric, snapshot, "OpenMetrics")).join("")}# EOF\n`,
};

/** For scrapers without OpenMetrics: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const plainText: typeof openMetrics = {
  contentType: "text/plain; version=0.0.4; charset=utf-8",
  write: (metrics, snapshot) =>
    metrics.map((metric) => family(metric, snapshot, "plain text")).join(""),
};

function family(metric: Metric, snapshot: Snapshot, format: "OpenMetrics" | "plain text"): string {
  const isPlain = format === "plain text";
  const { name, type, help, labels = [], buckets = [] } = metric;
  const sample = type === "counter" ? `${name}_total` : name;
  const described = isPlain ? sample : name;
  const unit = /_(seconds|bytes|ratio)$/.exec(name)?.[1];
  const unitLine = isPlain || unit === undefined ? "" : `# UNIT ${described} ${unit}\n`;
  const escaped = isPlain ? escapeHelp(help) : escapeLabel(help);
  const head = `# TYPE ${described} ${type}\n${unitLine}# HELP ${described} ${escaped}\n`;
  const lines = (snapshot[name] ?? []).map(([values, numbers]) => {
    const pairs = labelPairs(labels, values);
    return type === "histogram"
      ? histogram(name, pairs, buckets, numbers)
      : `${sample}${braced(pairs)} ${number(numbers[0] ?? 0)}\n`;
  });
  return head + lines.join("");
}

function histogram(
  name: string,
  pairs: string,
  bounds: readonly number[],
  values: readonly number[],
): string {
  let count = 0;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
    count += values[index] ?? 0;
    const le = `le="${bound === Number.POSITIVE_INFINITY ? "+Inf" : decimal(bound)}"`;
    return `${name}_bucket${braced(pairs === "" ? le : `${pairs},${le}`)} ${number(count)}\n`;
  });
  const sum = values[bounds.length + 1] ?? 0;
  return `${buckets.join("")}${name}_count${braced(pairs)} ${number(count)}\n${name}_sum${braced(pairs)} ${number(sum)}\n`;
}

/** Empty values are left out: a label without a value is the same as no label. */
function labelPairs(names: readonly string[], values: readonly string[]): string {
  return names
    .map((name, index) => [name, values[index] ?? ""] as const)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(",");
}

function braced(pairs: string): string {
  return pairs === "" ? "" : `{${pairs}}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}

/** Bounds are canonical floats in OpenMetrics: `1.0`, not `1`. */
function decimal(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

function number(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}
