import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../packages/connect-gateway/package.json" with { type: "json" };
import { installPythonTools } from "../../test/system/deploy/tools.ts";
import { loadCore, moveToCore } from "../machine/cores.ts";
import { residentMegabytes } from "../machine/process-use.ts";
import { describeMachine } from "../machine/versions.ts";
import { progress } from "../progress.ts";
import { loadOf, rows } from "./calls.ts";
import { peers } from "./peers.ts";
import { peerVersions, type Results, resultsMarkdown, withResults } from "./results.ts";
import { type CheckedPeer, startPeer } from "./start.ts";

/** Durations in seconds. */
const full = { warmUp: 1, run: 0.8, rounds: 5 };
const quick = { warmUp: 0.5, run: 0.5, rounds: 1 };

const root = join(import.meta.dirname, "../..");
const isQuick = process.argv.includes("--quick");
const effort = isQuick ? quick : full;
const scratch = mkdtempSync(join(tmpdir(), "library-bench-"));
const running: CheckedPeer[] = [];
try {
  progress("building the peers");
  build();
  // No peer uses Redis.
  const machine = describeMachine().map((line) => line.replace(/, Redis [\d.]+/, ""));
  moveToCore(loadCore, process.pid);
  for (const peer of peers) {
    progress(`starting and checking ${peer.name}`);
    running.push(await startPeer(peer, scratch));
  }
  const first = new Map(running.map((peer) => [peer, memoryOf(peer)]));
  const rates = await measure();
  const results: Results = {
    machine: [...machine, `connect-gateway ${manifest.version}`],
    versions: peerVersions(),
    peers: Object.fromEntries(
      running.map((peer) => [
        peer.name,
        {
          processes: peer.processes.length,
          memory: { first: first.get(peer) ?? 0, last: memoryOf(peer) },
          rates: rates.get(peer) ?? {},
        },
      ]),
    ),
  };
  process.stdout.write(`\n${resultsMarkdown(results)}\n`);
  if (!isQuick) write(results);
} finally {
  for (const { stop } of running) await stop();
  rmSync(scratch, { recursive: true, force: true });
}

function build(): void {
  installPythonTools();
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  run("buf", "generate", "--template", "bench/gateways/go/buf.gen.yaml");
  run("go", "-C", "bench/gateways/go", "build", "-o", "bin/", ".");
}

/** Measures all rows. In a round of a row, the peers take turns. @throws Error if a response is wrong */
async function measure(): Promise<ReadonlyMap<CheckedPeer, Record<string, number[]>>> {
  const measured = new Map(running.map((peer) => [peer, {} as Record<string, number[]>]));
  for (const row of rows) {
    const load = loadOf(row);
    const served = running.filter(({ protocols }) => protocols.includes(row.protocol));
    for (const { name, run } of served) {
      progress(`${row.name}: warming up ${name}`);
      await load({ ...run, seconds: effort.warmUp });
    }
    for (let round = 1; round <= effort.rounds; round += 1) {
      for (const peer of served) {
        progress(`${row.name}: round ${round} of ${effort.rounds}, ${peer.name}`);
        const { throughput = Number.NaN } = await load({ ...peer.run, seconds: effort.run });
        const rates = measured.get(peer) ?? {};
        rates[row.name] = [...(rates[row.name] ?? []), Math.round(throughput)];
      }
    }
  }
  progress("");
  return measured;
}

function write(results: Results): void {
  writeFileSync(join(import.meta.dirname, "results.json"), `${JSON.stringify(results, null, 2)}\n`);
  const page = join(root, "docs/gateway-comparison.md");
  writeFileSync(page, withResults(readFileSync(page, "utf8"), results));
}

function memoryOf({ processes }: CheckedPeer): number {
  const all = processes.reduce((sum, { pid }) => sum + residentMegabytes(pid), 0);
  return Number(all.toFixed(1));
}
