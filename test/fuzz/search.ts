import { setTimeout as delay } from "node:timers/promises";
import type { Call } from "./call.ts";
import { caseOf } from "./case.ts";
import type { Detective, Incident } from "./detective.ts";
import { crashOf, type Fault, type Finding, keyOf, print } from "./findings.ts";
import type { Subject } from "./subject.ts";

/** Cases at the same time. */
const atOnce = 64;
/** After this time all cases end, and what went wrong is looked into. */
const periodMs = 10_000;
/** Live objects that the server may have more than after the first period, in bytes. */
const mostGrowth = 64_000_000;
/** Resident memory that it may have. */
const mostResident = 400_000_000;

/** What went wrong in a period, and what to suspect for it. */
interface Period {
  readonly incidents: readonly Incident[];
  readonly seconds: number;
}

/**
 * Tries cases until the time is over, and prints its progress.
 *
 * @param found called with each finding
 */
export async function search(
  subject: Subject,
  detective: Detective,
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
    const underWay = new Set<number>();
    /** The cases that ended last: what the log says of a case can come after its response. */
    const over: number[] = [];
    const hung: number[] = [];

    function note(fault: Fault, suspects: readonly number[]): void {
      const key = keyOf(fault);
      if (!known.has(key) && !incidents.has(key)) incidents.set(key, { ...fault, suspects });
    }

    async function worker(): Promise<void> {
      while (performance.now() < Math.min(until, begun + periodMs) && !subject.server.ended) {
        const each = caseOf(corpus, seed, next++);
        underWay.add(each.number);
        const kind = await detective.run(each);
        if (subject.server.ended) return;
        if (kind === "hang") hung.push(each.number);
        else if (kind) note({ kind, signature: each.name }, [each.number]);
        over.push(each.number);
        if (over.length > 4 * atOnce) over.shift();
        underWay.delete(each.number);
      }
    }

    const watching = setInterval(() => {
      const suspects = [...underWay, ...over];
      if (detective.wasSlow()) note({ kind: "slow", signature: `from case ${first}` }, suspects);
      for (const bug of detective.takeBugs()) {
        note({ kind: "bug in the log", signature: bug }, suspects);
      }
    }, 50);
    const workers = Array.from({ length: atOnce }, worker);
    await Promise.all(workers).finally(() => clearInterval(watching));
    if (subject.server.ended) {
      await delay(50);
      note({ kind: "crash", signature: crashOf(subject.server.log.tail) }, [...underWay, ...over]);
      await subject.restart();
      firstLive = undefined;
    }
    // When one case blocks the server, all others hang.
    const isSlow = [...incidents.values()].some(({ kind }) => kind === "slow");
    for (const number of isSlow ? [] : hung.slice(0, 3)) {
      note({ kind: "hang", signature: caseOf(corpus, seed, number).name }, [number]);
    }
    return { incidents: [...incidents.values()], seconds: (performance.now() - begun) / 1_000 };
  }

  async function lookInto(incident: Incident): Promise<void> {
    const own = keyOf(incident);
    // An earlier incident of the same period can have explained it.
    if (known.has(own)) return;
    const shown = await detective.investigate(incident, (fault) => !known.has(keyOf(fault)));
    known.add(own);
    for (const finding of shown ?? []) {
      known.add(keyOf(finding));
      report(finding);
    }
    if (shown === undefined) notReproduced(incident);
  }

  /** What slows everything down can be another process; anything else is a fault, whichever case is to blame. */
  function notReproduced({ kind, signature, suspects }: Incident): void {
    if (kind === "slow" || kind === "hang") {
      process.stdout.write(`did not come again: ${kind}: one of ${suspects.length} cases\n`);
      return;
    }
    const from = Math.min(...suspects);
    const number = Math.max(...suspects);
    report({ kind, signature, name: "needs several cases", seed, from, number, only: [] });
  }

  while (performance.now() < until) {
    const first = next;
    const { incidents, seconds } = await period();
    // What the response of a case itself shows is looked into first: it often explains the rest.
    for (const incident of incidents.toSorted((a, b) => a.suspects.length - b.suspects.length)) {
      await lookInto(incident);
    }
    const { live, rss } = await subject.server.memory();
    firstLive ??= live;
    if ((live - firstLive > mostGrowth || rss > mostResident) && !known.has("growth")) {
      known.add("growth");
      const signature = `${megabytes(live)} live, ${megabytes(rss)} resident`;
      report({ kind: "growth", signature, name: `cases 0-${next}`, seed, number: next, only: [] });
    }
    process.stdout.write(
      `seed ${seed}: ${next} cases, ${Math.round((next - first) / seconds)}/s, ${megabytes(live)} live, ${megabytes(rss)} resident, ${findings} findings\n`,
    );
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
