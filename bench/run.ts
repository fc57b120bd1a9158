import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ours } from "./case.ts";
import { allCases } from "./cases/all.ts";
import { type Arena, type Effort, runCase } from "./contest.ts";
import { buildGoPeer } from "./go-peer.ts";
import { loadCore, moveToCore } from "./machine/cores.ts";
import { describeMachine } from "./machine/versions.ts";
import { type Options, readOptions, select } from "./options.ts";
import { profileCase } from "./profile.ts";
import { progress } from "./progress.ts";
import { startBenchRedis } from "./redis.ts";
import { caseReport, markdownReport } from "./report/markdown.ts";
import { plot } from "./report/plot.ts";
import { targetTable } from "./report/table.ts";
import { type CaseResult, judge, type Outcome, type Verdict } from "./result.ts";
import { goDirect, goGateway } from "./servers.ts";
import { targets } from "./targets.ts";

const full: Effort = { quick: false, warmUpSeconds: 2.5, runSeconds: 0.8, rounds: 5 };
const quick: Effort = { quick: true, warmUpSeconds: 0.3, runSeconds: 0.3, rounds: 2 };
/** A profile needs warm code and many samples, and no second opinion. */
const profiling: Effort = { quick: false, warmUpSeconds: 2, runSeconds: 4, rounds: 1 };
/** How far a quick run, which is short and may share its machine, can be above what it is held against. */
const quickAllowance = 1.5;

const options = readOptions(process.argv.slice(2));
moveToCore(loadCore, process.pid);
const scratch = mkdtempSync(join(tmpdir(), "inventory-bench-"));
const redis = await startBenchRedis();
const arena: Arena = {
  redisUrl: redis.server.url,
  redisPid: redis.pid,
  scratch,
  nodeOptions: [],
  effort: options.profile ? profiling : options.quick ? quick : full,
  progress,
};
try {
  await (options.profile ? profile(options.profile) : compare(options));
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

async function compare({ quick, only }: Options): Promise<void> {
  const cases = select(allCases, only);
  if (cases.some(({ contestants }) => contestants.some(({ server }) => isGo(server)))) {
    progress("building the Go peer");
    tellFailure(buildGoPeer());
  }
  const machine = describeMachine();
  const results: CaseResult[] = [];
  for (const each of cases) {
    let result = await runCase(each, arena);
    // Twice in a row is no accident.
    if (quick && verdictsOn([result]).some(isFarOff)) result = await runCase(each, arena);
    results.push(result);
    progress("");
    process.stdout.write(`${caseReport(result)}\n\n`);
  }
  const verdicts = verdictsOn(results);
  process.stdout.write(`${targetTable(verdicts)}\n`);
  if (!quick && only.length === 0) {
    const folder = import.meta.dirname;
    writeFileSync(join(folder, "results.md"), markdownReport(results, verdicts, machine));
    writeFileSync(join(folder, "results.svg"), plot(results));
  }
  if (results.some(({ outcomes }) => hasFailed(outcomes.get(ours)))) {
    process.stdout.write("\nThis service gave wrong answers.\n");
    process.exitCode = 1;
  }
  if (quick && verdicts.some(isFarOff)) {
    process.stdout.write(`\nAbove ${quickAllowance} times what they should be, twice:\n`);
    process.stdout.write(`${targetTable(verdicts.filter(isFarOff))}\n`);
    process.exitCode = 1;
  }
}

function verdictsOn(results: readonly CaseResult[]): Verdict[] {
  return targets.flatMap((target) => judge(target, results) ?? []);
}

/**
 * Ratios only, since absolute values are the machine's, and none of the slowest answers: of so short a run
 * one in a hundred is a handful.
 */
function isFarOff({ measured, target }: Verdict): boolean {
  const { peer, measure, most, reached = 0 } = target;
  return (
    peer !== undefined &&
    measure !== "p99" &&
    measured !== undefined &&
    measured > quickAllowance * Math.max(most, reached)
  );
}

function hasFailed(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && "failure" in outcome;
}

function isGo(server: unknown): boolean {
  return server === goGateway || server === goDirect;
}

function tellFailure(failure: string | undefined): void {
  if (failure !== undefined) {
    process.stderr.write(`\nthe Go peer can't be built: ${failure}\n`);
  }
}
