/**
 * Compares the cost of one histogram observation with three labels in three libraries: `npm run task measure-metrics`. Each
 * runs in turns with the others, in the same process, and the median of the rounds counts.
 */
import {
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { Histogram, Registry } from "prom-client";
import {
  type Operation,
  RequestRecord,
} from "../packages/connect-gateway/src/call/request-record.ts";
import { callRecordKey, newCallRecord } from "../src/common/call-context.ts";
import { metrics } from "../src/observability/metrics/definitions.ts";
import { openMetrics } from "../src/observability/metrics/exposition.ts";
import { observe } from "../src/observability/metrics/metric.ts";
import { createRegistry } from "../src/observability/metrics/registry.ts";
import { createServiceMetrics } from "../src/observability/metrics/service-metrics.ts";
import { median } from "./median.ts";

const observations = 500_000;
const rounds = 11;
/** Series of a large service: 50 routes, 3 methods, 10 codes. */
const series = 1_500;

const { name, help, labels, buckets } = metrics.httpDuration;
const routeOf = (index: number) => `/v1/route-${Math.floor(index / 30)}`;
const methodOf = (index: number) => ["GET", "POST", "PATCH"][index % 3] ?? "";
const codeOf = (index: number) => String(200 + (index % 10));
const seconds = (index: number) => (index % 1_000) / 100_000;

/** One library: observes a value, and writes everything for a scrape. */
interface Library {
  readonly label: string;
  observe(index: number): void;
  scrape(): unknown;
}

function ownRegistry(): Library {
  const registry = createRegistry();
  const family = registry.family(metrics.httpDuration);
  const all = Array.from({ length: series }, (_, index) =>
    family.with(methodOf(index), routeOf(index), codeOf(index)),
  );
  return {
    label: "own registry, series found before",
    observe: (index) => observe(all[index % series] as (typeof all)[number], seconds(index)),
    scrape: () => openMetrics.write([metrics.httpDuration], registry.snapshot()),
  };
}

/** The whole work for a request: the clock, finding the series of its record, duration and admission. */
function ownRequests(): Library {
  const { registry, onRequestEnd } = createServiceMetrics();
  const operations: Operation[] = Array.from({ length: 50 }, (_, index) => ({
    route: `/v1/route-${index}`,
  }));
  const records = Array.from({ length: series }, (_, index) => {
    const record = new RequestRecord(performance.now());
    record.operation = operations[index % 50] as Operation;
    record.code = 200 + (index % 10);
    record.values.set(callRecordKey, { ...newCallRecord(), verdict: "admitted", plan: "free" });
    return record;
  });
  const request = { method: "GET" };
  return {
    label: "own registry, a whole request by its record",
    observe: (index) => onRequestEnd(records[index % series] as (typeof records)[number], request),
    scrape: () => openMetrics.write([metrics.httpDuration], registry.snapshot()),
  };
}

function promClient(): Library {
  const registry = new Registry();
  const histogram = new Histogram({
    name,
    help,
    labelNames: [...labels],
    buckets: [...buckets],
    registers: [registry],
  });
  const all = Array.from({ length: series }, (_, index) =>
    histogram.labels(methodOf(index), routeOf(index), codeOf(index)),
  );
  return {
    label: "prom-client, labels() before",
    observe: (index) => all[index % series]?.observe(seconds(index)),
    scrape: () => registry.metrics(),
  };
}

function openTelemetry(): Library {
  const exporter = new InMemoryMetricExporter(1);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  const provider = new MeterProvider({ readers: [reader] });
  const histogram = provider.getMeter("bench").createHistogram(name, {
    advice: { explicitBucketBoundaries: [...buckets] },
  });
  const all = Array.from({ length: series }, (_, index) => ({
    http_request_method: methodOf(index),
    http_route: routeOf(index),
    http_response_status_code: codeOf(index),
  }));
  return {
    label: "@opentelemetry/sdk-metrics, attributes before",
    observe: (index) => histogram.record(seconds(index), all[index % series]),
    scrape: () => reader.collect(),
  };
}

function nanoseconds({ observe: once }: Library): number {
  const startedAt = performance.now();
  for (let index = 0; index < observations; index += 1) once(index);
  return ((performance.now() - startedAt) * 1e6) / observations;
}

const libraries = [ownRegistry(), ownRequests(), promClient(), openTelemetry()];
const costs = libraries.map((): number[] => []);
const scrapes = libraries.map((): number[] => []);
for (let round = 0; round < rounds; round += 1) {
  for (const [index, library] of libraries.entries()) {
    const cost = nanoseconds(library);
    const scrapedAt = performance.now();
    await library.scrape();
    // The first round also compiles the code.
    if (round === 0) continue;
    costs[index]?.push(cost);
    scrapes[index]?.push(performance.now() - scrapedAt);
  }
}
process.stdout.write(
  `| ${series} series, Node ${process.version} | Observation | Scrape |\n| --- | --- | --- |\n`,
);
for (const [index, { label }] of libraries.entries()) {
  const cost = Math.round(median(costs[index] ?? []));
  const scrape = median(scrapes[index] ?? []).toFixed(1);
  process.stdout.write(`| ${label} | ${cost} ns | ${scrape} ms |\n`);
}
