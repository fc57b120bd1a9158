/**
 * Tries out the runbook. For each alert, it causes the fault in a real service with a real Redis, waits until a real
 * Prometheus fires the alert, types the commands of the entry in docs/operator/runbook.md, and waits until the alert is clear.
 *
 * `npm run task runbook` runs all faults, several at a time. With `--quick`, as in CI, it runs nine of them, at the
 * same time. Names select faults: `npm run task runbook -- flood bug`.
 *
 * The rules have shorter durations here (see scaled-rules.ts), so that an alert fires and clears within seconds. promtool
 * tests the real durations (deploy/prometheus/tests).
 */
import { parseArgs } from "node:util";
import { newDirectory } from "../harness/directory.ts";
import { type Fault, type Outcome, runDrill } from "./drill.ts";
import { notScraped, processFaults } from "./faults/processes.ts";
import { redisFaults } from "./faults/redis.ts";
import { relayFaults } from "./faults/relay.ts";
import { useFaults } from "./faults/use.ts";
import { alertNames, startPrometheus } from "./prometheus.ts";

/** Faults that run at the same time. They mostly wait. */
const concurrency = 8;

/** Faults of each kind whose alerts fire and clear within half a minute. */
const quickNames: readonly string[] = [
  "redis-replica",
  "redis-save",
  "killed",
  "bug",
  "too-many-requests",
  "old-certificate",
  "slow-watcher",
  "flood",
  "expiring-key",
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false } },
});
const names = positionals.length === 0 && values.quick ? quickNames : positionals;

const begun = performance.now();
const report = (text: string) => {
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0).padStart(4);
  process.stdout.write(`${seconds} s  ${text}\n`);
};

const chosen = ({ name }: Fault) => names.length === 0 || names.includes(name);
/** Those that take longest come first. */
const faults = [...redisFaults, ...processFaults, ...useFaults, ...relayFaults];
const known = [notScraped, ...faults].map(({ name }) => name);
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  throw new Error(`There is no fault ${unknown.join(", ")}. Choose from ${known.join(", ")}`);
}
const waiting = faults.filter(chosen);
const directory = newDirectory();
const prometheus = await startPrometheus(directory);
report("Prometheus is ready");

const outcome: Outcome = { fired: new Set(), typed: new Set(), cleared: new Set() };
const failed: string[] = [];

async function drill(fault: Fault): Promise<void> {
  try {
    await runDrill(fault, prometheus, directory, outcome, (text) =>
      report(`${fault.name}: ${text}`),
    );
  } catch (error) {
    failed.push(fault.name);
    report(`FAIL ${fault.name}: ${error instanceof Error ? error.message : error}`);
  }
}

async function drillNext(): Promise<void> {
  for (let fault = waiting.shift(); fault; fault = waiting.shift()) await drill(fault);
}

// It needs a Prometheus without targets, so it comes first.
if (chosen(notScraped)) await drill(notScraped);
await Promise.all(Array.from({ length: concurrency }, drillNext));
prometheus.stop();

const missing = alertNames().filter(
  (name) => !(outcome.fired.has(name) && outcome.typed.has(name) && outcome.cleared.has(name)),
);
const isWhole = names.length === 0;
if (isWhole && missing.length > 0) report(`FAIL not tried out: ${missing.join(", ")}`);
report(`${outcome.cleared.size} alerts fired and cleared; ${failed.length} drills failed`);
process.exit(failed.length > 0 || (isWhole && missing.length > 0) ? 1 : 0);
