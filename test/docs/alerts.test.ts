import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { allMetrics } from "../../src/observability/metrics/definitions.ts";
import { commandsOf, entryTexts } from "../system/runbook/entries.ts";
import { dashboardExpressions } from "../system/runbook/expressions.ts";

const deploy = join(import.meta.dirname, "../../deploy");

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Case {
  readonly name: string;
  readonly alert_rule_test: readonly { alertname: string; exp_alerts: readonly unknown[] }[];
}

const readYaml = (path: string) => parse(readFileSync(join(deploy, path), "utf8"));

function rulesIn(path: string): Rule[] {
  const { groups } = readYaml(path) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

const alerts = rulesIn("prometheus/alerts.yaml");

const tests = readdirSync(join(deploy, "prometheus/tests")).flatMap(
  (name) => (readYaml(`prometheus/tests/${name}`) as { tests: readonly Case[] }).tests,
);

/** The numbers of alerts that the cases of an alert expect. */
function expectationsOf(alert: string): number[] {
  return tests.flatMap(({ alert_rule_test }) =>
    alert_rule_test
      .filter(({ alertname }) => alertname === alert)
      .map(({ exp_alerts }) => exp_alerts.length),
  );
}

test("there are alerts, and each name is used once", () => {
  const names = alerts.map(({ alert }) => alert);
  expect(names.length).toBeGreaterThan(20);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(alerts.map((rule) => ({ ...rule, alert: rule.alert ?? "" })))("$alert", (rule) => {
  test("says how urgent it is, what is wrong, and where to read on", () => {
    expect(["page", "ticket"]).toContain(rule.labels.severity);
    expect(rule.annotations.summary).toMatch(/\S/);
    expect(rule.annotations.description).toMatch(/\.$/);
    expect(rule.annotations.runbook_url).toBe(
      `docs/operator/runbook.md#${rule.alert.toLowerCase()}`,
    );
  });

  test("has a test in which it fires, and one in which it does not", () => {
    const expectations = expectationsOf(rule.alert);
    expect(expectations.some((count) => count > 0)).toBe(true);
    expect(expectations.some((count) => count === 0)).toBe(true);
  });

  test("has an entry in the runbook: what users see, how to confirm it, what to do, when it clears", () => {
    const text = entryTexts().get(rule.alert) ?? "";
    for (const part of ["**Users see**", "**Confirm**", "**Clears**"]) expect(text).toContain(part);
    expect(text).toMatch(/\*\*[Dd]o\*\*/);
    const { confirm, repair } = commandsOf(rule.alert);
    expect(confirm.length + repair.length).toBeGreaterThan(0);
  });
});

test("the runbook's commands use only variables that it says to set, or that they set", () => {
  const page = readFileSync(join(deploy, "../docs/operator/runbook.md"), "utf8");
  const set = [...page.matchAll(/^export (\w+)=/gm)].map(([, name]) => name);
  expect(set).toContain("ADMIN");
  for (const alert of entryTexts().keys()) {
    const { confirm, repair } = commandsOf(alert);
    for (const block of [...confirm, ...repair]) {
      const known = [...set, ...[...block.matchAll(/^(\w+)=/gm)].map(([, name]) => name)];
      // Not the variables of awk's programs.
      const used = [...block.replace(/'[^']*'/g, "").matchAll(/\$\{?([A-Z]\w*)/g)].map(
        ([, name]) => name,
      );
      expect(used.filter((name) => !known.includes(name))).toEqual([]);
    }
  }
});

test("the runbook has no entry for an alert that does not exist", () => {
  expect([...entryTexts().keys()].sort()).toEqual(alerts.map(({ alert }) => alert ?? "").sort());
});

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly {
    id: number;
    type: string;
    gridPos: { x: number; y: number; w: number; h: number };
    targets?: readonly { refId: string; expr: string }[];
  }[];
}

const dashboards = readdirSync(join(deploy, "grafana"))
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({
    name,
    ...(JSON.parse(readFileSync(join(deploy, "grafana", name), "utf8")) as Dashboard),
  }));

describe.each(dashboards)("deploy/grafana/$name", ({ panels }) => {
  test("has panels with ids of their own, which do not overlap", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });

  test("has an expression in every panel that is not a heading", () => {
    const empty = panels.filter(({ type, targets }) => type !== "row" && !targets?.[0]?.expr);
    expect(empty).toEqual([]);
  });
});

test("dashboards have ids of their own", () => {
  expect(dashboards.length).toBeGreaterThan(1);
  expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
});

/** Words of PromQL that are neither functions nor metrics. */
const words = new Set(["and", "or", "unless", "bool", "offset", "Inf", "NaN"]);

/** A metric that an expression uses, and the labels that it chooses by. */
interface Use {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** The metrics in an expression, with the labels in their braces. */
function usesIn(expr: string): Use[] {
  const text = expr
    .replace(/#.*$/gm, "")
    .replace(/"[^"]*"/g, '""')
    .replace(/\[[^\]]*\]/g, "")
    .replace(/\b(?:by|on|ignoring|without)\s*\([^)]*\)/g, "");
  const tokens = text.matchAll(/(?<![\w:.])([a-zA-Z_:][\w:]*)(?!\s*\(|[\w:])(?:\{([^}]*)\})?/g);
  return [...withoutLabels(tokens)].filter(({ metric }) => !words.has(metric));
}

function* withoutLabels(tokens: Iterable<RegExpMatchArray>): Iterable<Use> {
  for (const [, metric = "", braces = ""] of tokens) {
    yield { metric, labels: [...braces.matchAll(/(\w+)\s*[=!]/g)].map(([, label = ""]) => label) };
  }
}

/** The labels by which an expression groups. */
const groupsIn = (expr: string) =>
  [...expr.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, list = ""]) =>
    list.split(/\s*,\s*/),
  );

const targetLabels = ["job", "instance"];

/** The labels of all series that the service, its rules and Prometheus itself write, by name. */
const series = new Map<string, readonly string[]>([
  ["up", targetLabels],
  ["ALERTS", ["alertname", "alertstate", "severity"]],
  ...rulesIn("prometheus/recording.yaml").map(
    ({ record = "" }) => [record, targetLabels] as [string, string[]],
  ),
  ...allMetrics.flatMap(({ name, type, labels = [] }): [string, string[]][] => {
    const all = [...targetLabels, ...labels];
    if (type === "counter") return [[`${name}_total`, all]];
    if (type === "gauge") return [[name, all]];
    return [
      [`${name}_bucket`, [...all, "le"]],
      [`${name}_count`, all],
      [`${name}_sum`, all],
    ];
  }),
]);

describe.each([
  ...[...alerts, ...rulesIn("prometheus/recording.yaml")].map(({ alert, record, expr }) => ({
    name: alert ?? record,
    expr,
  })),
  ...dashboardExpressions().map((expr) => ({ name: expr, expr })),
])("$name", ({ expr }) => {
  test("uses metrics that exist, by labels that they have", () => {
    const uses = usesIn(expr);
    expect(uses.length).toBeGreaterThan(0);
    for (const { metric, labels } of uses) {
      expect([...series.keys()]).toContain(metric);
      for (const label of labels) expect(series.get(metric)).toContain(label);
    }
    const known = uses.flatMap(({ metric }) => series.get(metric) ?? []);
    for (const group of groupsIn(expr)) expect(known).toContain(group);
  });
});
