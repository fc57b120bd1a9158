const known =
  /^(inventory_admission_decisions_total|db_client_operation_duration_seconds_bucket)\{(.*)\} (\S+)/gm;

/** The metrics of a service at one time. Counters, so that two of them give rates. */
type MetricsSample = ReturnType<typeof parseMetrics>;

/** Parses metrics in the OpenMetrics format. @param at when they were read, in milliseconds of a clock that does not jump */
export function parseMetrics(text: string, at: number) {
  /** Requests since the service started, by the decision of admission. */
  const verdicts = new Map<string, number>();
  /** Number of operations on Redis that took at most so many seconds, by that bound. */
  const redisBuckets = new Map<number, number>();
  for (const [, name = "", labels = "", value] of text.matchAll(known)) {
    if (name.startsWith("db"))
      add(redisBuckets, Number(label(labels, "le").replace("+Inf", "Infinity")), Number(value));
    else add(verdicts, label(labels, "verdict"), Number(value));
  }
  return { at, verdicts, redisBuckets };
}

/** Returns what happened between two samples. A counter that has become smaller began again at 0. */
export function activityBetween(before: MetricsSample, after: MetricsSample) {
  const seconds = (after.at - before.at) / 1_000;
  const rates = differences(before.verdicts, after.verdicts).map(
    ([verdict, count]) => [verdict, round(count / seconds)] as const,
  );
  const total = rates.reduce((sum, [, rate]) => sum + rate, 0);
  return {
    requestsPerSecond: round(total),
    /** Requests a second, by the decision of admission. */
    verdicts: Object.fromEntries(rates),
    redis: latency(differences(before.redisBuckets, after.redisBuckets)),
  };
}

/** Returns upper bounds of the time of an operation on Redis, in milliseconds; undefined without operations. */
function latency(buckets: readonly (readonly [number, number])[]) {
  const sorted = buckets.toSorted(([a], [b]) => a - b);
  const total = sorted.at(-1)?.[1] ?? 0;
  if (total === 0) return undefined;
  const boundOf = (share: number) =>
    (sorted.find(([, count]) => count >= share * total)?.[0] ?? Number.POSITIVE_INFINITY) * 1_000;
  return { p50Ms: boundOf(0.5), p99Ms: boundOf(0.99) };
}

function differences<K>(
  before: ReadonlyMap<K, number>,
  after: ReadonlyMap<K, number>,
): (readonly [K, number])[] {
  return [...after].map(([key, count]) => {
    const earlier = before.get(key) ?? 0;
    return [key, count >= earlier ? count - earlier : count] as const;
  });
}

function add<K>(counts: Map<K, number>, key: K, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function label(labels: string, name: string): string {
  return new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
