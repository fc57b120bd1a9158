import { setTimeout as delay } from "node:timers/promises";
import type { Call } from "./call.ts";
import { caseOf, type FuzzCase } from "./case.ts";
import { bugOf, crashOf, type Fault, type Finding } from "./findings.ts";
import { type HealthProbe, startHealthProbe } from "./health-probe.ts";
import { readFileCase } from "./item-file.ts";
import { sendCase } from "./send.ts";
import type { Subject } from "./subject.ts";

/** A slower response of `/livez`, in ms, shows that a request blocks the process. */
const slowLivezMs = 500;
/** Suspected cases are rerun in groups of this size, and then one by one. */
const suspectsAtOnce = 16;
/** Timeout for the response to a suspected case, in ms. */
const suspectMs = 1_000;
/** Longest wait for a server that is busy with earlier cases, in ms. */
const settleMs = 60_000;
/** Most logged bugs that are kept until `takeBugs`. */
const mostBugs = 1_000;

/** A fault that occurred while several cases were running. */
export interface Incident extends Fault {
  readonly suspects: readonly number[];
}

/** Runs cases on a server, and finds the case that causes a fault. */
export interface CaseRunner {
  /** Runs a case. @returns the class of the fault that its response shows; undefined if there is none */
  run(each: FuzzCase): Promise<string | undefined>;
  /** Runs a case alone. @returns all faults in the meantime */
  runAlone(each: FuzzCase): Promise<readonly Fault[]>;
  /**
   * Finds the first suspected case that causes a fault.
   *
   * @returns its new faults; undefined if no case alone causes a fault
   */
  investigate(
    incident: Incident,
    isNew: (fault: Fault) => boolean,
  ): Promise<readonly Finding[] | undefined>;
  /** The bytes that the last case on a connection received. */
  readonly received: Buffer;
  /** Returns the bugs logged since the last call. */
  takeBugs(): readonly string[];
  /** True if `/livez` was slow since the last call. */
  wasSlow(): boolean;
  stop(): void;
}

/** Collects the log lines that report a bug. */
export interface BugLog {
  readonly bugs: string[];
  add(line: string): void;
}

export function createBugLog(): BugLog {
  const bugs: string[] = [];
  return {
    bugs,
    add(line) {
      if (bugs.length < mostBugs) bugs.push(bugOf(line));
    },
  };
}

export function createCaseRunner(
  subject: Subject,
  { bugs }: BugLog,
  corpus: readonly Call[],
  seed: number,
): CaseRunner {
  const probe: HealthProbe = startHealthProbe(() => subject.server.port);
  let received: Buffer = Buffer.alloc(0);
  const takeBugs = () => [...new Set(bugs.splice(0))];
  const wasSlow = () => probe.slowest() > slowLivezMs;

  async function run(each: FuzzCase, timeoutMs?: number): Promise<string | undefined> {
    if (each.kind === "file") return readFileCase(each);
    const outcome = await sendCase(each, subject.server.port, timeoutMs);
    received = outcome.received;
    // A process that exits closes its connections before its exit is reported.
    if (received.length === 0) await delay(50);
    return outcome.fault;
  }

  /** Waits until the server has finished the work of earlier cases, which can take many seconds. */
  async function settled(): Promise<void> {
    const url = `http://127.0.0.1:${subject.server.port}/livez`;
    await fetch(url, { signal: AbortSignal.timeout(settleMs) }).catch(() => {});
  }

  async function runAlone(each: FuzzCase): Promise<readonly Fault[]> {
    await settled();
    takeBugs();
    wasSlow();
    const own = await run(each);
    await delay(30);
    const faults: Fault[] = [];
    if (subject.server.ended) {
      await delay(50);
      faults.push({ kind: "crash", signature: crashOf(subject.server.log.tail) });
      await subject.restart();
    }
    const logged = takeBugs();
    for (const bug of logged) faults.push({ kind: "bug in the log", signature: bug });
    if (wasSlow()) {
      // A second run rules out that another process used the CPU.
      await run(each);
      if (wasSlow()) faults.push({ kind: "slow", signature: each.name });
    }
    if (own && logged.length === 0) faults.push({ kind: own, signature: each.name });
    return faults;
  }

  /** The first group of suspects that causes a fault; all suspects if they fit into one group. */
  async function narrowed(suspects: readonly number[]): Promise<readonly number[]> {
    if (suspects.length <= suspectsAtOnce) return suspects;
    for (let first = 0; first < suspects.length; first += suspectsAtOnce) {
      const group = suspects.slice(first, first + suspectsAtOnce);
      await settled();
      takeBugs();
      wasSlow();
      await Promise.all(group.map((number) => run(caseOf(corpus, seed, number), suspectMs)));
      await delay(50);
      const isGuilty = subject.server.ended !== undefined || takeBugs().length > 0 || wasSlow();
      if (subject.server.ended) await subject.restart();
      if (isGuilty) return group;
    }
    return [];
  }

  return {
    run,
    runAlone,
    async investigate({ suspects }, isNew) {
      for (const number of await narrowed(suspects)) {
        const whole = caseOf(corpus, seed, number);
        const faults = await runAlone(whole);
        if (faults.length === 0) continue;
        return faults.filter(isNew).map((fault) => ({ ...fault, name: whole.name, seed, number }));
      }
      return undefined;
    },
    get received() {
      return received;
    },
    takeBugs,
    wasSlow,
    stop: probe.stop,
  };
}
