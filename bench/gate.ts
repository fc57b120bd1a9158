import { readFileSync } from "node:fs";
import { join } from "node:path";
import { againstCheckout, type Checkout, type Comparison, compared } from "./against.ts";
import type { Case, Measure } from "./case.ts";
import { allCases } from "./cases/all.ts";
import { type Arena, type Effort, runCase } from "./contest.ts";
import { median } from "./median.ts";
import { select } from "./options.ts";
import { type CaseResult, failureOf, joined, ratioOf, ratioOfLeast } from "./result.ts";

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

/**
 * How often the servers of a case are started: the compiler makes slower code of the same source in one process than in
 * another, and other load on the machine only adds to costs. So a row that looks worse is measured on more of them, up to
 * this number.
 */
const mostStarts = 8;

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

/**
 * Returns the smaller one of the ratio of the least costs and the ratio of runs that followed each other. Other load on the
 * machine disturbs each of them in its own way, and a loss increases both.
 */
const leastRatio: typeof ratioOf = (own, peer, measure) => {
  const [least, following] = [ratioOfLeast, ratioOf].map((each) => each(own, peer, measure));
  return least === undefined || following === undefined ? undefined : Math.min(least, following);
};

/** Returns whether a row costs too much. */
export function isLoss({ ratio }: Comparison): boolean {
  return ratio > mostLoss;
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
): Promise<Comparison[]> {
  const own: Arena = { ...arena, effort: gateEffort, goesOn: undefined };
  const named = allCases.filter(({ name }) => gateCases.includes(name));
  const all: Comparison[] = [];
  for (const each of againstCheckout(select(named, only), checkout)) {
    const { contestants } = each;
    // The server that is started and warmed up last costs more, by up to a third with gRPC: each is the last one in turn.
    const inTurn = (start: number) => (start % 2 === 0 ? contestants : contestants.toReversed());
    const measure = (start: number) => undisturbed({ ...each, contestants: inTurn(start) }, own);
    all.push(...(await compareUntilClear(measure)));
  }
  return all;
}

/**
 * Compares a case with the baseline, on more starts of its servers while a row costs too much.
 *
 * @param measure measures on one start, and gets the number of starts before it
 */
export async function compareUntilClear(
  measure: (start: number) => Promise<CaseResult>,
): Promise<Comparison[]> {
  const results: [CaseResult, ...CaseResult[]] = [await measure(0)];
  for (;;) {
    results.push(await measure(results.length));
    const rows = compared(joined(results), gateMeasures, leastRatio).map(calmed(results));
    if (!rows.some(isLoss) || results.length >= mostStarts) return rows;
  }
}

/**
 * Lowers the ratio of a row to the median of those of the starts, if that is smaller. Four runs of one commit
 * gave 0.97, 1.03, 1.09 and 1.12 without it, because a single fast moment of one server is the least cost of all its starts.
 */
function calmed(results: readonly CaseResult[]): (row: Comparison) => Comparison {
  const ofStarts = results.map((result) => compared(result, gateMeasures, ratioOfLeast));
  return (row) => {
    const ratios = ofStarts.flatMap((rows) =>
      rows.filter(({ measure }) => measure === row.measure).map(({ ratio }) => ratio),
    );
    return { ...row, ratio: Math.min(row.ratio, median(ratios)) };
  };
}
