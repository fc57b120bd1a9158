import { expect, test } from "vitest";
import { openMetrics, plainText } from "../../../src/observability/metrics/exposition.ts";
import { add, type Metric, observe, set } from "../../../src/observability/metrics/metric.ts";
import { createRegistry } from "../../../src/observability/metrics/registry.ts";

const requests: Metric = {
  name: "demo_requests",
  type: "counter",
  labels: ["path", "code"],
  help: 'Requests with a "quote", a \\ and\na line break.',
};
const duration: Metric = {
  name: "demo_duration_seconds",
  type: "histogram",
  labels: ["kind"],
  buckets: [0.1, 1],
  help: "Durations.",
};
const memory: Metric = { name: "demo_memory_bytes", type: "gauge", help: "Memory." };
const all = [requests, duration, memory];

function example() {
  const registry = createRegistry();
  add(registry.family(requests).with('a"b\\c\nd', "200"), 2);
  add(registry.family(requests).with("", "404"));
  for (const seconds of [0.05, 0.1, 0.5, 7]) observe(registry.family(duration).with("x"), seconds);
  set(registry.family(memory).with(), 1.5e9);
  return registry.snapshot();
}

test("writes OpenMetrics", () => {
  // https://prometheus.io/docs/specs/om/open_metrics_spec/
  expect(openMetrics.write(all, example())).toBe(`# TYPE demo_requests counter
# HELP demo_requests Requests with a \\"quote\\", a \\\\ and\\na line break.
demo_requests_total{path="a\\"b\\\\c\\nd",code="200"} 2
demo_requests_total{code="404"} 1
# TYPE demo_duration_seconds histogram
# UNIT demo_duration_seconds seconds
# HELP demo_duration_seconds Durations.
demo_duration_seconds_bucket{kind="x",le="0.1"} 2
demo_duration_seconds_bucket{kind="x",le="1.0"} 3
demo_duration_seconds_bucket{kind="x",le="+Inf"} 4
demo_duration_seconds_count{kind="x"} 4
demo_duration_seconds_sum{kind="x"} 7.65
# TYPE demo_memory_bytes gauge
# UNIT demo_memory_bytes bytes
# HELP demo_memory_bytes Memory.
demo_memory_bytes 1500000000
# EOF
`);
});

test("writes the text format for old scrapers", () => {
  const text = plainText.write([requests, memory], example());
  expect(text).toBe(`# TYPE demo_requests_total counter
# HELP demo_requests_total Requests with a "quote", a \\\\ and\\na line break.
demo_requests_total{path="a\\"b\\\\c\\nd",code="200"} 2
demo_requests_total{code="404"} 1
# TYPE demo_memory_bytes gauge
# HELP demo_memory_bytes Memory.
demo_memory_bytes 1500000000
`);
});

test("writes a metric without series, and numbers that are not finite", () => {
  const registry = createRegistry();
  expect(openMetrics.write([requests], registry.snapshot())).toContain(
    "# HELP demo_requests Requests",
  );
  const gauge = registry.family(memory).with();
  for (const [value, text] of [
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
  ] as const) {
    set(gauge, value);
    expect(plainText.write([memory], registry.snapshot())).toContain(`demo_memory_bytes ${text}\n`);
  }
});
