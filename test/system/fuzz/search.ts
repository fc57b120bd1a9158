import { setTimeout as delay } from "node:timers/promises";
import type { Call } from "./call.ts";
import { caseOf } from "./case.ts";
import type { CaseRunner, Incident } from "./case-runner.ts";
import { crashOf, type Fault, type Finding, keyOf, print } from "./findings.ts";
import type { Subject } from "./subject.ts";

/** Number of concurrent cases. */
const atOnce = 64;
/** Length of a period, in ms. After each, the faults are investigated while no other case runs. */
const periodMs = 10_000;
/** Most growth of the server's live objects since the first period, in bytes. */
const mostGrowth = 64_000_000;
/** Most resident memory of the server, in bytes. */
const mostResident = 400_000_000;

/** The incidents of a period. */
interface Period {
  readonly incidents: readonly Incident[];
  readonly seconds: number;
}

/**
 * Runs random cases until the time has passed, and prints the progress.
 *
 * @param found called with each finding
 */
export async function search(
  subject: Subject,
  runner: CaseRunner,
  corpus: readonly Call[],
  { minutes, seed }: { readonly minutes: number; readonly seed: number },
  found: (finding: Finding) => void,
): Promise<void> {
  const until = performance.now() + minutes * 60_000;
  const known = new Set<string>();
  let next = 0;
  let findings = 0;
  let firstLive: number | undefined;

  function report(finding: Finding): void {
    findings += 1;
    print(finding);
    found(finding);
  }

  async function period(): Promise<Period> {
    const begun = performance.now();
    const first = next;
    const incidents = new Map<string, Incident>();
    const running = new Set<number>();
    /** The cases that finished last. They are suspects too, because a bug can be logged after the response. */
    const finished: number[] = [];
    const hung: number[] = [];

    function note(fault: Fault, suspects: readonly number[]): void {
      const key = keyOf(fault);
      if (!known.has(key) && !incidents.has(key)) incidents.set(key, { ...fault, suspects });
    }

    async function worker(): Promise<void> {
      while (performance.now() < Math.min(until, begun + periodMs) && !subject.server.ended) {
        const each = caseOf(corpus, seed, next++);
        running.add(each.number);
        const kind = await runner.run(each);
        if (subject.server.ended) return;
        if (kind === "hang") hung.push(each.number);
        else if (kind) note({ kind, signature: each.name }, [each.number]);
        finished.push(each.number);
        if (finished.length > 4 * atOnce) finished.shift();
        running.delete(each.number);
      }
    }

    const watching = setInterval(() => {
      const suspects = [...running, ...finished];
      if (runner.wasSlow()) note({ kind: "slow", signature: `from case ${first}` }, suspects);
      for (const bug of runner.takeBugs()) {
        note({ kind: "bug in the log", signature: bug }, suspects);
      }
    }, 50);
    const workers = Array.from({ length: atOnce }, worker);
    await Promise.all(workers).finally(() => clearInterval(watching));
    if (subject.server.ended) {
      await delay(50);
      note({ kind: "crash", signature: crashOf(subject.server.log.tail) }, [
        ...running,
        ...finished,
      ]);
      await subject.restart();
      firstLive = undefined;
    }
    // If one case blocks the server, all others hang.
    const isSlow = [...incidents.values()].some(({ kind }) => kind === "slow");
    for (const number of isSlow ? [] : hung.slice(0, 3)) {
      note({ kind: "hang", signature: caseOf(corpus, seed, number).name }, [number]);
    }
    return { incidents: [...incidents.values()], seconds: (performance.now() - begun) / 1_000 };
  }

  async function investigate(incident: Incident): Promise<void> {
    const own = keyOf(incident);
    // The investigation of an earlier incident may have explained this one.
    if (known.has(own)) return;
    const shown = await runner.investigate(incident, (fault) => !known.has(keyOf(fault)));
    known.add(own);
    for (const finding of shown ?? []) {
      known.add(keyOf(finding));
      report(finding);
    }
    if (shown === undefined) notReproduced(incident);
  }

  /** Ignores slowness, which another process can cause. Reports any other incident with all suspected cases. */
  function notReproduced({ kind, signature, suspects }: Incident): void {
    if (kind === "slow" || kind === "hang") {
      process.stdout.write(
        `not reproduced: ${kind}, seen while ${suspects.length} cases were running\n`,
      );
      return;
    }
    const from = Math.min(...suspects);
    const number = Math.max(...suspects);
    report({ kind, signature, name: "needs several cases", seed, from, number });
  }

  while (performance.now() < until) {
    const first = next;
    const { incidents, seconds } = await period();
    // Incidents with the fewest suspects come first, because they often explain the others.
    for (const incident of incidents.toSorted((a, b) => a.suspects.length - b.suspects.length)) {
      await investigate(incident);
    }
    const { live, rss } = await subject.server.memory();
    firstLive ??= live;
    if ((live - firstLive > mostGrowth || rss > mostResident) && !known.has("growth")) {
      known.add("growth");
      const signature = `${megabytes(live)} live, ${megabytes(rss)} resident`;
      report({ kind: "growth", signature, name: `cases 0-${next}`, seed, number: next });
    }
    process.stdout.write(
      `seed ${seed}: ${next} cases (${Math.round((next - first) / seconds)} per second), ${findings} findings; server memory: ${megabytes(live)} live, ${megabytes(rss)} resident\n`,
    );
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
