import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { againstCheckout, type Checkout, type Comparison, compared } from "./against.ts";
import { type Home, measures, ours } from "./case.ts";
import { allCases } from "./cases/all.ts";
import { checkOut } from "./check-out.ts";
import { type Arena, type Effort, runCase } from "./contest.ts";
import { seed } from "./data.ts";
import { baseline, compareWithBaseline, isLoss, mostLoss } from "./gate.ts";
import { buildGoPeers } from "./go-peer.ts";
import { loadCore, moveToCore } from "./machine/cores.ts";
import { describeMachine, describePeers } from "./machine/versions.ts";
import { type Options, readOptions, select } from "./options.ts";
import { profileCase } from "./profile.ts";
import { progress } from "./progress.ts";
import { startBenchRedis } from "./redis.ts";
import { caseReport, markdownReport } from "./report/markdown.ts";
import { plot } from "./report/plot.ts";
import { comparisonTable, targetTable } from "./report/table.ts";
import { type CaseResult, judge, type Outcome, type Verdict } from "./result.ts";
import { goGateway, goTuned } from "./servers.ts";
import { targets } from "./targets.ts";

const full: Effort = { quick: false, warmUpSeconds: 2.5, runSeconds: 0.8, rounds: 5 };
const quick: Effort = { quick: true, warmUpSeconds: 0.5, runSeconds: 0.3, rounds: 3 };
/** A profile needs warm code and many samples, but only one run. */
const profiling: Effort = { quick: false, warmUpSeconds: 2, runSeconds: 4, rounds: 1 };
/** How far a check may exceed a target, since it may share its machine. */
const allowance = 1.5;
/** Most rounds of a case in a check. A case that is far above a target goes on, because another process may be the cause. */
const mostRounds = 15;

const options = readOptions(process.argv.slice(2));
moveToCore(loadCore, process.pid);
const scratch = mkdtempSync(join(tmpdir(), "inventory-bench-"));
const redis = await startBenchRedis();
const effort = options.profile ? profiling : options.quick ? quick : full;
const arena: Arena = {
  home: { redisUrl: redis.server.url, redisPid: redis.pid, seed },
  scratch,
  nodeOptions: [],
  effort,
  progress,
  ...((options.quick || options.check) && { goesOn }),
};
try {
  if (options.profile) await profile(options.profile);
  else if (options.against || options.gate) await compareCheckouts(options);
  else await compare(options);
} finally {
  await redis.server.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function profile(name: string): Promise<void> {
  const [each] = select(allCases, [name]);
  if (each) {
    const table = await profileCase(each, arena);
    progress("");
    process.stdout.write(`${each.name}: ${each.about}\n\n${table}\n`);
  }
}

async function compareCheckouts({ against, gate, only }: Options): Promise<void> {
  const folder = against ?? checkOut(baseline());
  const other = await startBenchRedis();
  try {
    const { seed } = await import(join(folder, "bench/data.ts"));
    const home: Home = { redisUrl: other.server.url, redisPid: other.pid, seed };
    if (gate) await judgeGate({ folder, home }, only);
    else await showComparison({ folder, home }, only);
  } finally {
    await other.server.stop();
    if (against === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function showComparison(checkout: Checkout, only: readonly string[]): Promise<void> {
  const rows: Comparison[] = [];
  for (const each of againstCheckout(select(allCases, only), checkout)) {
    const result = await runCase(each, arena);
    rows.push(...compared(result, measures));
    show(result);
  }
  process.stdout.write(`${comparisonTable(rows)}\n`);
}

async function judgeGate(checkout: Checkout, only: readonly string[]): Promise<void> {
  const rows = await compareWithBaseline(arena, checkout, only);
  progress("");
  process.stdout.write(`${comparisonTable(rows)}\n`);
  const losses = rows.filter(isLoss);
  if (losses.length === 0) return;
  process.stdout.write(
    `\nMore than ${mostLoss} times the cost at ${baseline()}, after all starts:\n${comparisonTable(losses)}\n` +
      "If the loss is deliberate, name a new commit in bench/baseline, and say why in the commit message.\n",
  );
  process.exitCode = 1;
}

async function compare({ quick, check, only }: Options): Promise<void> {
  const cases = select(allCases, only);
  if (cases.some(({ contestants }) => contestants.some(({ server }) => isGo(server)))) {
    progress("building the Go peers");
    reportFailure(buildGoPeers());
  }
  const machine = [...describeMachine(), ...describePeers()];
  const results: CaseResult[] = [];
  for (const each of cases) {
    const result = await runCase(each, arena);
    results.push(result);
    show(result);
  }
  const verdicts = verdictsOn(results);
  process.stdout.write(`${targetTable(verdicts)}\n`);
  if (!quick && !check && only.length === 0) {
    const folder = import.meta.dirname;
    writeFileSync(join(folder, "results.md"), markdownReport(results, verdicts, machine));
    writeFileSync(join(folder, "results.svg"), plot(results));
  }
  if (results.some(({ outcomes }) => hasFailed(outcomes.get(ours)))) {
    process.stdout.write("\nA response of this service was wrong.\n");
    process.exitCode = 1;
  }
  if ((quick || check) && verdicts.some(isFarOff)) {
    process.stdout.write(
      `\nMore than ${allowance} times the target, also after ${mostRounds} rounds:\n`,
    );
    process.stdout.write(`${targetTable(verdicts.filter(isFarOff))}\n`);
    process.exitCode = 1;
  }
}

/** Prints the report of a case below the last line of progress. */
function show(result: CaseResult): void {
  progress("");
  process.stdout.write(`${caseReport(result)}\n\n`);
}

function verdictsOn(results: readonly CaseResult[]): Verdict[] {
  return targets.flatMap((target) => judge(target, results) ?? []);
}

/** Whether a case of a check has another round. A quick case without a ratio shows only that responses are right. */
function goesOn(result: CaseResult, round: number): boolean {
  const verdicts = verdictsOn([result]).filter(isChecked);
  const usual = result.case.rounds ?? effort.rounds;
  const least = options.quick ? (verdicts.length > 0 ? effort.rounds : 1) : usual;
  return round < least || (round < mostRounds && verdicts.some(isFarOff));
}

/**
 * Returns whether a check compares a measurement with its target: ratios, because absolute values depend on the machine.
 * p99 is left out, because one percent of a short run is a handful of responses; `lost` too, because a quick run is shorter
 * than an overload.
 */
function isChecked({ target: { peer, measure } }: Verdict): boolean {
  return peer !== undefined && measure !== "p99" && measure !== "lost";
}

function isFarOff(verdict: Verdict): boolean {
  const { most, reached = 0 } = verdict.target;
  return (
    isChecked(verdict) &&
    verdict.measured !== undefined &&
    verdict.measured > allowance * Math.max(most, reached)
  );
}

function hasFailed(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && "failure" in outcome;
}

function isGo(server: unknown): boolean {
  return server === goGateway || server === goTuned;
}

function reportFailure(failure: string | undefined): void {
  if (failure !== undefined) process.stderr.write(`\nThe Go peers cannot be built: ${failure}\n`);
}
