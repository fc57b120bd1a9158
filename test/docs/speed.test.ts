import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { firstNumber, medianIn, tableRows } from "../../bench/report/measured.ts";

const results = readFileSync(new URL("../../bench/results.md", import.meta.url), "utf8");
const scale = readFileSync(new URL("../../bench/scale.md", import.meta.url), "utf8");
const scaling = readFileSync(new URL("../../docs/operator/scaling.md", import.meta.url), "utf8");
const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const performance = readFileSync(
  new URL("../../docs/contributor/performance.md", import.meta.url),
  "utf8",
);
/** Each target: its case, what it bounds, the bound, the measured value, and `met` or `missed`. */
const verdicts = tableRows(results).filter((cells) => /^(?:met|missed)$/.test(cells.at(-1) ?? ""));
const missed = verdicts.filter((cells) => cells.at(-1) === "missed");

/** Servers of the table: their names, and their rows in the cases that read and write over HTTP and gRPC. */
const servers: readonly (readonly [name: string, http: string | undefined, grpc?: string])[] = [
  ["this service", "ours", "ours"],
  ["Fastify, @fastify/rate-limit (one window)", "fastify-rate-limit"],
  ["Fastify, rate-limiter-flexible", "fastify-flexible"],
  ["Express, rate-limiter-flexible", "express-flexible"],
  ["grpc-js, rate-limiter-flexible", undefined, "grpc-js-same-work"],
  ["grpc-gateway and grpc-go, redis_rate", "go-gateway", "grpc-go-same-work"],
  ["net/http and grpc-go, tuned by hand", "go-tuned", "go-tuned"],
];

const cases = [
  ["read 10 pets, JSON", "http-list", 1],
  ["set a quantity, JSON", "http-update", 1],
  ["read 10 pets, gRPC", "grpc-list", 2],
  ["set a quantity, gRPC", "grpc-update", 2],
] as const;

/** Returns the requests a second that were measured, with two digits; a dash if the case has no such server. */
function measured(report: string, name: string, server: string | undefined): string {
  const median = server && medianIn(report, name, server, "throughput, req/s");
  return typeof median === "number" ? rounded(median) : "–";
}

function rounded(rate: number): string {
  return Number(rate.toPrecision(2)).toLocaleString("en-US");
}

function speedTable(report: string): string {
  const heads = ["Requests a second", ...cases.map(([what]) => what)];
  const rows = servers
    .map((server) => [
      server[0],
      ...cases.map(([, name, column]) => measured(report, name, server[column])),
    ])
    // A new server has no values until the next complete run.
    .filter(([, ...values]) => values.some((value) => value !== "–"));
  const lines = [heads, heads.map((_, index) => (index === 0 ? "---" : "--:")), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

test("README.md has the requests a second of bench/results.md", async () => {
  const block = /(<!-- speed -->\n).*?(<!-- end -->)/s;
  expect(readme).toMatch(block);
  const current = readme.replace(block, (_, start: string, end: string) => {
    return `${start}${speedTable(results)}${end}`;
  });
  await expect(current).toMatchFileSnapshot("../../README.md");
});

test("README.md says how many targets bench/results.md misses", () => {
  expect(readme.replaceAll("\n", " ")).toContain(
    `missed ${missed.length} of the ${verdicts.length} targets that it sets itself`,
  );
});

test("performance.md says why targets are missed, of exactly those that bench/results.md misses", () => {
  const [, section = ""] = performance.split("\n## Missed targets\n");
  const [table = ""] = section.split("\n## ");
  const explained = tableRows(table).flatMap(([cases = ""]) => [...cases.matchAll(/`([\w-]+)`/g)]);
  const names = explained.map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set(missed.map(([name]) => name)));
});

/** Rows of docs/operator/scaling.md: what runs, the work, and its rows in bench/scale.md. */
const costs = [
  ["a process", "`GET /v1/inventory/{petId}`", "One item", "server, µs/req"],
  ["", "`PATCH /v1/inventory/{petId}`", "An update", "server, µs/req"],
  ["", "`GET /v1/inventory`, 304", "The whole list, known", "server, µs/req"],
  [
    "a Redis",
    "one decision about limits, with 16 in a script call, of 1,000 active accounts",
    "A decision of the limiter",
    "at most 1,000 active, Redis µs",
  ],
  [
    "",
    "the same, with all accounts active, up to 1,000,000",
    "A decision of the limiter",
    "all accounts active, Redis µs",
  ],
  ["", "`GET /v1/inventory/{petId}` with its decision", "One item", "Redis, µs/req"],
  ["", "`PATCH /v1/inventory/{petId}` with its decision", "An update", "Redis, µs/req"],
] as const;

/** Returns the medians of a row of bench/scale.md. @param what the beginning of its first cell, or that of a row above */
function medians(what: string, measure: string): number[] {
  let subject = "";
  for (const [first = "", second, ...cells] of tableRows(scale)) {
    if (first.trim() !== "") subject = first;
    if (subject.startsWith(what) && second === measure) return cells.map(firstNumber);
  }
  throw new Error(`bench/scale.md has no ${what}, ${measure}`);
}

function range(values: readonly number[], format: (value: number) => string): string {
  const [low, high] = [Math.min(...values), Math.max(...values)].map(format);
  return low === high ? `${low}` : `${low} to ${high}`;
}

function costTable(): string {
  const rows = costs.map(([one, work, what, measure]) => {
    const micros = medians(what, measure);
    const cost = range(micros, (value) => String(Math.round(value)));
    const rates = range(
      micros.map((value) => 1e6 / value),
      rounded,
    );
    return [one, work, `${cost} µs`, rates];
  });
  const heads = ["One core runs", "Work", "CPU time", "Maximum per second"];
  return [heads, heads.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |\n`)
    .join("");
}

test("docs/operator/scaling.md has the costs of bench/scale.md", async () => {
  const block = /(<!-- costs -->\n).*?(<!-- end -->)/s;
  expect(scaling).toMatch(block);
  const current = scaling.replace(block, (_, start: string, end: string) => {
    return `${start}${costTable()}${end}`;
  });
  await expect(current).toMatchFileSnapshot("../../docs/operator/scaling.md");
});
