import { describe, expect, test } from "vitest";
import { add, type Metric, observe, set } from "../../../src/observability/metrics/metric.ts";
import {
  createRegistry,
  mergeSnapshots,
  withoutGauges,
} from "../../../src/observability/metrics/registry.ts";

const counter: Metric = { name: "c", type: "counter", labels: ["x"], help: "" };
const plain: Metric = { name: "p", type: "counter", help: "" };
const histogram: Metric = { name: "h", type: "histogram", buckets: [1, 2], help: "" };
const gauge = (name: string, merge?: "sum" | "max" | "min"): Metric => ({
  name,
  type: "gauge",
  help: "",
  ...(merge && { merge }),
});

describe("a registry", () => {
  test("returns the same series for the same labels", () => {
    const registry = createRegistry();
    const family = registry.family(counter);
    expect(family.with("a")).toBe(family.with("a"));
    expect(family.with("a")).not.toBe(family.with("b"));
    expect(registry.family(counter)).toBe(family);
  });

  test("has metrics without labels before the first event", () => {
    const registry = createRegistry();
    registry.family(plain);
    registry.family(counter);
    expect(registry.snapshot()).toEqual({ p: [[[], [0]]], c: [] });
  });

  test("counts values in the bucket whose bound is not less", () => {
    const registry = createRegistry();
    const series = registry.family(histogram).with();
    for (const value of [0, 1, 1.5, 2, 3]) observe(series, value);
    expect(registry.snapshot().h).toEqual([[[], [2, 2, 1, 7.5]]]);
  });

  test("throws when there are too few labels", () => {
    expect(() => createRegistry().family(counter).with()).toThrow("c has 1 labels, not 0");
  });

  test("has at most 2,000 series of a metric, and one for all others", () => {
    const registry = createRegistry();
    const family = registry.family(counter);
    for (let index = 0; index < 10_000; index += 1) add(family.with(String(index)));
    const all = [...family.all()];
    expect(all).toHaveLength(2_001);
    expect(all.at(-1)).toMatchObject({ labels: ["_OTHER"], values: Float64Array.of(8_000) });
  });

  test("sets values before each snapshot", () => {
    const registry = createRegistry();
    const series = registry.family(gauge("g")).with();
    registry.beforeSnapshot(() => set(series, 5));
    expect(registry.snapshot()).toEqual({ g: [[[], [5]]] });
  });
});

describe("merged snapshots", () => {
  const metrics = [counter, histogram, gauge("sum"), gauge("max", "max"), gauge("min", "min")];

  function snapshotOf(value: number, label: string) {
    const registry = createRegistry();
    add(registry.family(counter).with(label), value);
    observe(registry.family(histogram).with(), value);
    for (const name of ["sum", "max", "min"]) set(registry.family(gauge(name)).with(), value);
    return registry.snapshot();
  }

  test("add counters and histograms, and combine gauges as each metric says", () => {
    const merged = mergeSnapshots(metrics, [
      snapshotOf(1, "a"),
      snapshotOf(2, "a"),
      snapshotOf(3, "b"),
    ]);
    expect(merged).toEqual({
      c: [
        [["a"], [3]],
        [["b"], [3]],
      ],
      h: [[[], [1, 1, 1, 6]]],
      sum: [[[], [6]]],
      max: [[[], [3]]],
      min: [[[], [1]]],
    });
  });

  test("can be merged again without changing the first result", () => {
    const once = mergeSnapshots(metrics, [snapshotOf(1, "a")]);
    const copy = structuredClone(once);
    mergeSnapshots(metrics, [once, snapshotOf(2, "a")]);
    expect(once).toEqual(copy);
  });

  test("of ended processes have no gauges", () => {
    expect(Object.keys(withoutGauges(metrics, snapshotOf(1, "a")))).toEqual(["c", "h"]);
  });
});
