import { readFileSync } from "node:fs";
import { join } from "node:path";
import { againstCheckout, type Checkout, type Comparison, compared } from "./against.ts";
import type { Measure } from "./case.ts";
import { allCases } from "./cases/all.ts";
import { type Arena, type Effort, runCase } from "./contest.ts";
import { select } from "./options.ts";

/** The commit that every change is compared with. A change of the file says why a loss is accepted. */
export function baseline(): string {
  const text = readFileSync(join(import.meta.dirname, "baseline"), "utf8");
  const [commit = ""] = text.split("\n").filter((line) => !line.startsWith("#"));
  return commit.trim();
}

/** The most that a row may cost, as a multiple of its cost at the baseline. */
export const mostLoss = 1.08;

const gateCases: readonly string[] = [
  "http-list",
  "http-update",
  "http-refused",
  "http-long",
  "grpc-list",
  "grpc-update",
  "connect-json",
  "connect-binary",
];

/** What the gate compares. Other measures vary more, or depend on the load generator. */
const gateMeasures: readonly Measure[] = ["cpu", "allocated"];

/** Many short rounds, so that load of the machine affects both servers alike. */
const gateEffort: Effort = { quick: false, warmUpSeconds: 3, runSeconds: 0.4, rounds: 9 };

/** A row of the gate: the comparison of its first run, and of the second if there was one. */
export type GateRow = readonly [Comparison, Comparison?];

/** Returns whether a row is worse in two runs. Each run starts new processes, which compile their code again. */
export function isLoss([first, second]: GateRow): boolean {
  return first.ratio > mostLoss && second !== undefined && second.ratio > mostLoss;
}

/**
 * Compares the CPU time and the allocation of requests with those of the baseline.
 *
 * @param checkout of the baseline
 * @param only parts of names of cases; empty for all of the gate
 */
export async function compareWithBaseline(
  arena: Arena,
  checkout: Checkout,
  only: readonly string[],
): Promise<GateRow[]> {
  const own: Arena = { ...arena, effort: gateEffort, goesOn: undefined };
  const rows: GateRow[] = [];
  const named = allCases.filter(({ name }) => gateCases.includes(name));
  for (const each of againstCheckout(select(named, only), checkout)) {
    const measure = async () => compared(await runCase(each, own), gateMeasures);
    const first = await measure();
    const isWorse = first.some(({ ratio }) => ratio > mostLoss);
    const second = isWorse ? await measure() : [];
    rows.push(...first.map((row, at): GateRow => [row, second[at]]));
  }
  return rows;
}
