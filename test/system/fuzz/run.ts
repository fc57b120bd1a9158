/**
 * Sends mutated requests to a server, and reads mutated files as `items import` does, 64 at a time: `npm run task fuzz`.
 * After a fault, fast-check looks for the fewest cases and mutations that cause it.
 *
 *   --minutes N  time to run (default: 1)
 *   --seed S     seed of the random cases (default: a new one)
 *   --path P     runs only the cases of a finding, together with its seed
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { casesOf } from "./case.ts";
import { createCorpus, type FuzzCase } from "./corpus.ts";
import { readFileCase } from "./item-file.ts";
import { sendCase } from "./send.ts";
import { startSubject } from "./subject.ts";

/** Cases of a batch, and how many of them run at the same time. Many, because some wait for the timeouts of the server. */
const [casesOfBatch, atOnce] = [1_000, 64];
/** A slower response of `/livez`, in ms, shows that a request blocks the process. */
const slowLivezMs = 500;
/** Most growth of the server's live objects since the first batch, and most resident memory, in MB. */
const [mostGrowth, mostResident] = [64, 400];

const { values } = parseArgs({
  options: { minutes: { type: "string" }, seed: { type: "string" }, path: { type: "string" } },
});
const minutes = Number(values.minutes ?? 1);
if (!(minutes > 0 && minutes <= 1_440)) throw new Error("--minutes must be above 0, at most 1440");
const firstSeed = Number(values.seed ?? Date.now() % 2 ** 31);
if (!Number.isInteger(firstSeed)) throw new Error("--seed must be an integer");

const bugs = new Set<string>();
const subject = await startSubject((line) => bugs.add(bugOf(line)));
let cases = 0;

const isFile = ({ kind }: FuzzCase) => kind === "csv" || kind === "ndjson";

/** Runs cases at the same time. @returns their faults, and the slowest response of `/livez` in the meantime, in ms */
async function runAll(batch: readonly FuzzCase[]) {
  cases += batch.length;
  const faults = new Map<FuzzCase, string | undefined>();
  // Files are read in this process, which cannot measure the server in the meantime.
  for (const each of batch.filter(isFile)) faults.set(each, await readFileCase(each));
  const url = `http://127.0.0.1:${subject.server.port}/livez`;
  const left = batch.filter((each) => !isFile(each)).values();
  let [running, livezMs] = [0, 0];
  const worker = async () => {
    running += 1;
    for (const each of left) faults.set(each, await sendCase(each, subject.server.port));
    running -= 1;
  };
  const workers = Array.from({ length: atOnce }, worker);
  while (running > 0) {
    const begun = performance.now();
    await fetch(url, { signal: AbortSignal.timeout(60_000) }).catch(() => {});
    livezMs = Math.max(livezMs, performance.now() - begun);
    await delay(20);
  }
  await Promise.all(workers);
  return { faults, livezMs };
}

/** Runs a case alone, so that neither other cases nor the load of the machine can be the cause of a fault. */
async function isGuilty(each: FuzzCase): Promise<boolean> {
  for (let time = 0; time < 3; time++) {
    const { faults, livezMs } = await runAll([each]);
    if (faults.get(each) === undefined && livezMs <= slowLivezMs) return false;
  }
  return true;
}

/** Runs cases. @throws Error that names their faults */
async function check(batch: readonly FuzzCase[]): Promise<void> {
  bugs.clear();
  const { faults, livezMs } = await runAll(batch);
  // A bug can be logged after the response, and a process closes its connections before its exit is reported.
  await delay(20);
  if (subject.server.ended) {
    const { tail } = subject.server.log;
    await subject.restart();
    throw new Error(`crash: ${crashOf(tail)}`);
  }
  if (bugs.size > 0) throw new Error(`bug in the log: ${[...bugs].join("; ")}`);
  for (const each of batch) {
    const fault = faults.get(each) ?? (livezMs > slowLivezMs ? "slow" : undefined);
    if (fault && (await isGuilty(each))) throw new Error(`${fault}: ${each.name}`);
  }
}

/** Summarizes a log line that reports a bug: the error, and the first line of its stack trace in src. */
function bugOf(line: string): string {
  const { err } = line.startsWith("{") ? JSON.parse(line) : { err: undefined };
  const { type = "Error", message = line.slice(0, 200), stack = "" } = err ?? {};
  const place = /\/src\/[^\s)]+|node_modules\/[^\s)]+|\(node:[^)]+\)/.exec(stack)?.[0];
  return `${type}: ${message.slice(0, 120)} at ${place ?? "?"}`;
}

/** The uncaught error that node printed last, with the first line of its stack trace in src. */
function crashOf(tail: readonly string[]): string {
  const lines = tail.filter((line) => !line.startsWith("{"));
  const error = lines.findLast((line) => /^(?:[\w.]*Error|FATAL ERROR)\b/.test(line)) ?? "";
  return `${error.slice(0, 160)} ${lines.find((line) => /\/src\//.test(line))?.trim() ?? ""}`;
}

const batches = fc.array(casesOf(createCorpus(subject.keys)), {
  minLength: 1,
  maxLength: casesOfBatch,
  size: "max",
});
const property = fc.asyncProperty(batches, check);
const until = performance.now() + minutes * 60_000;
const shown = (finding: unknown) => fc.stringify(finding).slice(0, 5_000);
let firstLive: number | undefined;
let seed = firstSeed;
try {
  do {
    const path = values.path === undefined ? {} : { path: values.path };
    const round = { seed, numRuns: 1, unbiased: true, interruptAfterTimeLimit: 300_000, ...path };
    const result = await fc.check(property, round);
    if (result.failed) {
      const repeat = `npm run task fuzz -- --seed ${seed} --path ${result.counterexamplePath}`;
      throw new Error(`${result.errorInstance}\n${shown(result.counterexample)}\n${repeat}`);
    }
    const { live, rss } = await subject.server.memory();
    firstLive ??= live;
    const [grown, resident] = [(live - firstLive) / 1e6, rss / 1e6];
    process.stdout.write(
      `seed ${seed}: ${cases} cases; grown by ${grown.toFixed(0)} MB, ${resident.toFixed(0)} MB resident\n`,
    );
    if (grown > mostGrowth || resident > mostResident) throw new Error("the server's memory grows");
    seed += 1;
  } while (performance.now() < until && values.path === undefined);
  process.stdout.write("no findings\n");
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  await subject.close();
}
