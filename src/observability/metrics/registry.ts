import type { Metric, Series } from "./metric.ts";

/** Most series of a metric, reached only because of a bug. All further series share one with the labels {@link other}. */
const maxSeries = 2_000;

/** The value of labels beyond the limit. */
const other = "_OTHER";

/** A metric, with its series. */
interface Family {
  /** Returns the series of these label values, in the order of the metric's labels. Resolve it once, not per event. */
  with(...labels: readonly string[]): Series;
  /** Removes all series, for gauges whose labels come and go. */
  clear(): void;
  all(): Iterable<Series>;
}

/** The labels and values of each series, by the name of the metric. It can be sent to another process. */
export type Snapshot = Readonly<
  Record<string, readonly (readonly [labels: readonly string[], values: readonly number[]])[]>
>;

export type Registry = ReturnType<typeof createRegistry>;

/** Creates the metrics of a process. A metric without labels has its series at once, so that it is 0 and not absent. */
export function createRegistry() {
  const families = new Map<string, Family>();
  const collectors: (() => void)[] = [];
  return {
    family: (metric: Metric) =>
      families.getOrInsertComputed(metric.name, () => createFamily(metric)),
    /** @param collect sets values before each snapshot; it must not throw */
    beforeSnapshot: (collect: () => void) => void collectors.push(collect),
    snapshot(): Snapshot {
      for (const collect of collectors) collect();
      return Object.fromEntries(
        [...families].map(([name, family]) => [
          name,
          [...family.all()].map(({ labels, values }) => [labels, [...values]] as const),
        ]),
      );
    },
  };
}

function createFamily(metric: Metric): Family {
  const { labels: names = [], buckets = [] } = metric;
  const bounds = Float64Array.from(buckets);
  const size = metric.type === "histogram" ? bounds.length + 2 : 1;
  const series = new Map<string, Series>();

  function withLabels(...labels: readonly string[]): Series {
    if (labels.length !== names.length) {
      throw new Error(`${metric.name} has ${names.length} labels, not ${labels.length}`);
    }
    const hasPlace = series.size < maxSeries || series.has(labels.join("\0"));
    const own = hasPlace ? labels : names.map(() => other);
    return series.getOrInsertComputed(own.join("\0"), () => ({
      labels: own,
      values: new Float64Array(size),
      bounds,
    }));
  }

  if (names.length === 0) withLabels();
  return { with: withLabels, clear: () => series.clear(), all: () => series.values() };
}

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

function combine({ merge = "sum" }: Metric, into: number[], values: readonly number[]): void {
  values.forEach((value, index) => {
    const before = into[index] ?? 0;
    into[index] = merge === "sum" ? before + value : Math[merge](before, value);
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
