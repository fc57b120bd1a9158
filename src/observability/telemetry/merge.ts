import type { Metric } from "./metric.ts";
import type { Snapshot } from "./registry.ts";

/** Combines the snapshots of several processes. @param metrics the metrics of all of them */
export function mergeSnapshots(
  metrics: readonly Metric[],
  snapshots: readonly Snapshot[],
): Snapshot {
  return Object.fromEntries(
    metrics.map((metric) => [metric.name, mergeMetric(metric, snapshots)] as const),
  );
}

function mergeMetric(metric: Metric, snapshots: readonly Snapshot[]): Snapshot[string] {
  const merged = new Map<string, readonly [readonly string[], number[]]>();
  for (const snapshot of snapshots) {
    for (const [labels, values] of snapshot[metric.name] ?? []) {
      const key = labels.join("\0");
      const before = merged.get(key);
      if (!before) merged.set(key, [labels, [...values]]);
      else combine(metric, before[1], values);
    }
  }
  return [...merged.values()];
}

function combine({ type, merge = "sum" }: Metric, into: number[], values: readonly number[]): void {
  const how = type === "gauge" ? merge : "sum";
  values.forEach((value, index) => {
    const before = into[index] ?? 0;
    into[index] = how === "sum" ? before + value : Math[how](before, value);
  });
}

/** Returns the counters and histograms of a snapshot. They stay in the totals after their process has ended. */
export function withoutGauges(metrics: readonly Metric[], snapshot: Snapshot): Snapshot {
  return Object.fromEntries(
    metrics
      .filter(({ type }) => type !== "gauge")
      .map(({ name }) => [name, snapshot[name] ?? []] as const),
  );
}
