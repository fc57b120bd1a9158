export interface Metric {
  /** The name of the family, without the suffix `_total` of counters. It ends with its unit: seconds, bytes or ratio. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** The meaning, in one sentence. */
  readonly help: string;
  readonly labels?: readonly string[];
  /** The upper bounds of a histogram's buckets, ascending, without infinity. */
  readonly buckets?: readonly number[];
  /** How the gauges of several processes make one value; `sum` when absent. Counters and histograms are always added. */
  readonly merge?: "sum" | "max" | "min";
}

/** The values of a metric for one set of labels. Float64Array, because V8 allocates every other number that changes. */
export interface Series {
  /** The values of the labels, in the order of {@link Metric.labels}. */
  readonly labels: readonly string[];
  /**
   * One number, or for a histogram: the number of values in each bucket (not cumulative), those above the last bound, and
   * the sum of all values.
   */
  readonly values: Float64Array;
  /** The bounds of a histogram; empty for other metrics. */
  readonly bounds: Float64Array;
}

/** Adds to a counter or gauge. */
export function add({ values }: Series, amount = 1): void {
  values[0] = (values[0] as number) + amount;
}

/** Sets a gauge, or a counter that something else counts. */
export function set({ values }: Series, value: number): void {
  values[0] = value;
}

/** Adds a value to a histogram. */
export function observe({ values, bounds }: Series, value: number): void {
  const { length } = bounds;
  let bucket = 0;
  while (bucket < length && value > (bounds[bucket] as number)) bucket += 1;
  values[bucket] = (values[bucket] as number) + 1;
  values[length + 1] = (values[length + 1] as number) + value;
}
