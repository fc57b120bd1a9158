import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Case, ours } from "./case.ts";
import { type Arena, runCase } from "./contest.ts";

const root = join(import.meta.dirname, "..");
const shown = 40;

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Runs our server of a case with V8's profiler. @returns a table of the time spent in each file and function */
export async function profileCase(each: Case, arena: Arena): Promise<string> {
  const own = each.contestants.filter(({ name }) => name === ours);
  const result = await runCase(
    { ...each, rounds: 1, contestants: own },
    { ...arena, nodeOptions: ["--cpu-prof", "--cpu-prof-dir", arena.scratch] },
  );
  const outcome = result.outcomes.get(ours);
  if (outcome && "failure" in outcome) throw new Error(outcome.failure);
  const [file] = globSync(join(arena.scratch, "*.cpuprofile"));
  if (file === undefined) throw new Error("the server wrote no profile");
  return selfTimes(JSON.parse(readFileSync(file, "utf8")), arena.effort.runSeconds);
}

/**
 * Adds up self time in the last seconds only. Before that, the server starts and warms up.
 *
 * @param seconds how many seconds at the end count
 */
function selfTimes(profile: CpuProfile, seconds: number): string {
  const { nodes, samples, timeDeltas } = profile;
  const length = timeDeltas.reduce((sum, each) => sum + each, 0);
  const from = length - seconds * 1_000_000;
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  let total = 0;
  let at = 0;
  samples.forEach((id, index) => {
    const name = names.get(id) ?? "?";
    const time = timeDeltas[index] ?? 0;
    at += time;
    if (at > from && name !== "(idle)" && name !== "(root)") {
      total += time;
      times.set(name, (times.get(name) ?? 0) + time);
    }
  });
  const share = (time: number) => `${((100 * time) / total).toFixed(1).padStart(5)} %`;
  return [
    "Self time without waiting, by file:",
    ...sorted(groupByFile(times)).map(([name, time]) => `${share(time)}  ${name}`),
    "",
    "By function:",
    ...sorted(times).map(([name, time]) => `${share(time)}  ${name}`),
  ].join("\n");
}

function nameOf(frame: CpuProfile["nodes"][number]["callFrame"]): string {
  const name = frame.functionName || "(anonymous)";
  if (frame.url === "") return name;
  const file = frame.url.startsWith("file:")
    ? relative(root, fileURLToPath(frame.url)).replace(/^node_modules\//, "")
    : frame.url;
  return `${name} ${file}:${frame.lineNumber + 1}`;
}

/** Adds up times by file. Native functions have a line of their own. */
function groupByFile(times: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const files = new Map<string, number>();
  for (const [name, time] of times) {
    const file = /(\S+):\d+$/.exec(name)?.[1] ?? name;
    files.set(file, (files.get(file) ?? 0) + time);
  }
  return files;
}

function sorted(times: ReadonlyMap<string, number>): [string, number][] {
  return [...times].sort(([, a], [, b]) => b - a).slice(0, shown);
}
