import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Costs } from "../../bench/simulation/costs.ts";
import { simulationTables } from "../../bench/simulation/report.ts";
import { simulate } from "../../bench/simulation/simulate.ts";

const page = new URL("../../docs/operator/scaling.md", import.meta.url);

test("docs/operator/scaling.md has the tables of the simulation", async () => {
  const tables = simulationTables();
  const text = readFileSync(page, "utf8");
  const block = /(<!-- simulation: (\w+) -->\n).*?(\n<!-- end -->)/gs;
  const current = text.replace(
    block,
    (_, start: string, name: string, end: string) => `${start}${tables[name]}${end}`,
  );
  const shown = [...text.matchAll(block)].map(([, , name]) => name);
  expect(shown).toEqual(["growth", "stock", "worked"]);
  await expect(current).toMatchFileSnapshot("../../docs/operator/scaling.md");
});

const costs: Costs = {
  process: { wake: 60, message: 10, call: 8, decision: 3, read: 20, update: 30, changeRead: 2 },
  redis: { wake: 40, message: 11, call: 7, decision: 5, change: 9, changeRead: 6 },
};
const one = { processes: 1, primaries: 1, networkMicros: 100 };

test("the simulation responds to a lone read after the sum of its costs", () => {
  const sent = 60 + 20 / 2 + 10 + 2 * 8;
  const decided = 40 + 11 + 2 * 7 + 5;
  const responded = 60 + 3 + 20 / 2;
  const { p50 } = simulate({ ...one, load: { rate: 10 }, updates: 0, seconds: 60 }, costs);
  expect(p50 * 1_000).toBeCloseTo(sent + decided + responded + 2 * 100, 3);
});

test("the simulation responds to a lone update after two round trips", () => {
  const admitted = 60 + 30 / 2 + 10 + 8 + (40 + 11 + 7 + 5);
  const changed = 60 + 3 + 10 + 8 + (40 + 11 + 7 + 9);
  const responded = 60 + 30 / 2;
  const { p50 } = simulate({ ...one, load: { rate: 10 }, updates: 1, seconds: 60 }, costs);
  expect(p50 * 1_000).toBeCloseTo(admitted + changed + responded + 4 * 100, 3);
});

test("the simulation serves nearly the rate at which all shared costs vanish, and not more", () => {
  const most = 1_000_000 / (20 + 3);
  const reads = { ...one, updates: 0, seconds: 0.5 };
  expect(simulate({ ...reads, load: { rate: most * 0.8 } }, costs).served).toBeGreaterThan(0.98);
  expect(simulate({ ...reads, load: { rate: most * 1.3 } }, costs).served).toBeLessThan(0.9);
});
