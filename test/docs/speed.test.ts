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

/** Returns the requests a second that one core serves, with two digits; a dash if the case has no such server. */
function perCore(report: string, name: string, server: string | undefined): string {
  const section = report.split(`\n## ${name}\n`)[1]?.split("\n## ")[0];
  if (section === undefined) throw new Error(`bench/results.md has no case ${name}`);
  const [, micros] = new RegExp(`^\\| ${server} \\| ([\\d.,]+) \\(`, "m").exec(section) ?? [];
  if (micros === undefined) return "–";
  const rate = Number((1e6 / Number(micros.replace(",", ""))).toPrecision(2));
  return rate.toLocaleString("en-US");
}

function speedTable(report: string): string {
  const heads = ["Requests a second on one core", ...cases.map(([what]) => what)];
  const rows = servers
    .map((server) => [
      server[0],
      ...cases.map(([, name, column]) => perCore(report, name, server[column])),
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

it("a case of 50 µs is 20,000 requests a second on one core", () => {
  const report = "# x\n\n## http-list\n\n| ours | 50.0 (40.0 to 60.0) | 14.0 |\n";
  expect(perCore(report, "http-list", "ours")).toBe("20,000");
  expect(perCore(report, "http-list", "go-gateway")).toBe("–");
});
