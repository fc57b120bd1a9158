import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { settings } from "../../src/config/settings.ts";

const security = readFileSync(join(import.meta.dirname, "../../SECURITY.md"), "utf8");
const section = /^## Shares$(.*?)^## /ms.exec(security)?.[1] ?? "";
const bounds = /^## Bounds$(.*?)^## How /ms.exec(security)?.[1] ?? "";
const [firstTable = ""] = /^\| Pool .*?\n\n/ms.exec(section) ?? [];
const rows = rowsOf(firstTable);
const poolNames = [
  "connections",
  "requests",
  "streams",
  "public requests",
  "watches",
  "health watches",
  "usage counts",
  "log lines",
  "long calls",
  "beginning streams",
  "bytes of waiting requests",
];
const queueNames = [
  "connections",
  "admissions",
  "refusals",
  "public requests",
  "pipelined requests",
  "parsing",
  "decompression",
  "long calls",
  "stream messages",
  "compression",
  "long responses",
  "closing streams",
];
const queues = rowsOf(/^\| Queue \|.*?\n\n/ms.exec(section)?.[0] ?? "");

function rowsOf(table: string): string[] {
  return table.trim().split("\n").slice(2);
}

describe("the shares in SECURITY.md", () => {
  test.each([
    ["pool", rows, poolNames],
    ["queue", queues, queueNames],
  ])("have a row for each %s of the code, in the same order", (_, tableRows, names) => {
    const titles = tableRows.map((row) => row.split("|")[1]?.trim().toLowerCase() ?? "");
    expect(titles).toHaveLength(names.length);
    for (const [index, name] of names.entries()) expect(titles[index]).toMatch(name);
  });
});

test.each([
  ["pools", /\bname(?:: | = )"([^"]+)"/g, "new SharedPool(", poolNames],
  ["queues", /new TickBudget\("([^"]+)"/g, "new TickBudget(", queueNames],
])("the %s of the code are those of SECURITY.md", (_, pattern, maker, names) => {
  const root = join(import.meta.dirname, "../..");
  const sources = globSync("{src,packages/connect-gateway/src}/**/*.ts", { cwd: root })
    .map((file) => readFileSync(join(root, file), "utf8"))
    .filter((text) => text.includes(maker));
  const named = sources.flatMap((text) => [...text.matchAll(pattern)]);
  expect(named.map(([, name = ""]) => name).sort()).toEqual([...names].sort());
});

test("SECURITY.md has the defaults of the settings", () => {
  const unitOf: Record<string, number> = { s: 1_000, minutes: 60_000, MiB: 1024 * 1024 };
  const named = [...bounds.matchAll(/`([A-Z_]+)`: ([\d,]+)(?: (\w+))?/g)];
  for (const [, name = "", number = "", unit = ""] of named) {
    const value = Number(number.replaceAll(",", "")) * (unitOf[unit] ?? 1);
    expect(settings).toHaveProperty([name, "default"], `${value}`);
  }
  expect(new Set(named.map(([, name]) => name)).size).toBeGreaterThan(25);
});
