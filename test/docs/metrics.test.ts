import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { allMetrics } from "../../src/observability/metrics/definitions.ts";
import { createServiceMetrics } from "../../src/observability/metrics/service-metrics.ts";

const intro = readFileSync(new URL("metrics-intro.txt", import.meta.url), "utf8");

/** The name that a query uses. */
const shownName = ({ name, type }: (typeof allMetrics)[number]) =>
  type === "counter" ? `${name}_total` : name;

test("docs/operator/metrics.md lists every metric", async () => {
  const rows = allMetrics.map((metric) => {
    const { type, labels = [], merge = "sum", help } = metric;
    const shownLabels = labels.map((label) => `\`${label}\``).join(", ");
    const across = type === "gauge" ? merge : "sum";
    return `| \`${shownName(metric)}\` | ${type} | ${shownLabels} | ${across} | ${help} |\n`;
  });
  await expect(intro + rows.join("")).toMatchFileSnapshot("../../docs/operator/metrics.md");
});

test("names have the form of Prometheus, and no two are the same", () => {
  for (const { name } of allMetrics) {
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(name).not.toMatch(/_total$/);
  }
  expect(new Set(allMetrics.map(({ name }) => name)).size).toBe(allMetrics.length);
});

test("every metric that a process registers is in the table", () => {
  const names = Object.keys(createServiceMetrics().registry.snapshot());
  expect(allMetrics.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  expect(names.length).toBeGreaterThan(5);
});
