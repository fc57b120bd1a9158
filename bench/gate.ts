import { readFileSync } from "node:fs";
import { join } from "node:path";
import { againstCheckout, type Checkout, type Comparison, compared } from "./against.ts";
import type { Case, Measure } from "./case.ts";
import { allCases } from "./cases/all.ts";
import { type Arena, type Effort, runCase } from "./contest.ts";
import { select } from "./options.ts";
import { type CaseResult, failureOf, joined, ratioOfLeast } from "./result.ts";

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
  "grpc-list",
  "grpc-update",
];

/** What the gate compares. Other measures vary more, or depend on the load generator. */
const gateMeasures: readonly Measure[] = ["cpu", "allocated", "systemCalls"];

/** Many short rounds, so that some of them are undisturbed. */
const gateEffort: Effort = { quick: false, warmUpSeconds: 2.5, runSeconds: 0.4, rounds: 6 };

/** How often the servers are started: the compiler makes slower code of the same source in one process than in another. */
const starts = 2;

/** How often a case may fail: on a busy machine, Redis does not always respond in time. */
const mostFailures = 3;

/** Runs a case, and again if a response was wrong. */
async function undisturbed(each: Case, arena: Arena): Promise<CaseResult> {
  const names = each.contestants.map(({ name }) => name);
  for (let failures = 0; ; failures += 1) {
    const result = await runCase(each, arena);
    if (failures === mostFailures || failureOf(result, names) === undefined) return result;
  }
}

/** A row of the gate: the comparison of its first run, and of the second if there was one. */
export type GateRow = readonly [Comparison, Comparison?];

/** Returns whether a row is worse in two runs. */
export function isLoss([first, second]: GateRow): boolean {
  return first.ratio > mostLoss && second !== undefined && second.ratio > mostLoss;
}

/**
 * Compares what requests cost with their cost at the baseline.
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
    const measure = async () => {
      const results: [CaseResult, ...CaseResult[]] = [await undisturbed(each, own)];
      while (results.length < starts) results.push(await undisturbed(each, own));
      return compared(joined(results), gateMeasures, ratioOfLeast);
    };
    const first = await measure();
    const isWorse = first.some(({ ratio }) => ratio > mostLoss);
    const second = isWorse ? await measure() : [];
    rows.push(...first.map((row, at): GateRow => [row, second[at]]));
  }
  return rows;
}
