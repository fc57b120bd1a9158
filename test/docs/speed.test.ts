import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const results = readFileSync(new URL("../../bench/results.md", import.meta.url), "utf8");
const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

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
  const section = report.split(`\n## ${name}\n`)[1]?.split("\n## ")[0];
  if (section === undefined) throw new Error(`bench/results.md has no case ${name}`);
  const rows = [...section.matchAll(/^\| (.*) \|$/gm)].map(([, row = ""]) => row.split(" | "));
  const column = rows[0]?.indexOf("throughput, req/s") ?? -1;
  if (column < 0) throw new Error(`the case ${name} of bench/results.md has no throughput`);
  const value = rows.find(([first]) => first === server)?.[column];
  if (value === undefined) return "–";
  const [median = ""] = value.split(" ");
  return Number(Number(median.replace(",", "")).toPrecision(2)).toLocaleString("en-US");
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

it("README.md has the requests a second of bench/results.md", async () => {
  const block = /(<!-- speed -->\n).*?(<!-- end -->)/s;
  expect(readme).toMatch(block);
  const current = readme.replace(block, (_, start: string, end: string) => {
    return `${start}${speedTable(results)}${end}`;
  });
  await expect(current).toMatchFileSnapshot("../../README.md");
});

it("the table has the median of the requests a second that were measured", () => {
  const report =
    "# x\n\n## http-list\n\n|  | CPU, µs/req | throughput, req/s | p50, ms |\n| --- | --- | --- | --- |\n" +
    "| ours | 50.0 (40.0 to 60.0) | 15,985 (11,083 to 18,472) | 3.45 |\n";
  expect(measured(report, "http-list", "ours")).toBe("16,000");
  expect(measured(report, "http-list", "go-gateway")).toBe("–");
});
