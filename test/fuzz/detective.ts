import { setTimeout as delay } from "node:timers/promises";
import type { Call } from "./call.ts";
import { caseOf, type FuzzCase } from "./case.ts";
import { bugOf, crashOf, type Fault, type Finding, keyOf } from "./findings.ts";
import { type HealthProbe, startHealthProbe } from "./health-probe.ts";
import { readFileCase } from "./item-file.ts";
import { sendCase } from "./send.ts";
import type { Subject } from "./subject.ts";

/** A response of `/livez` that takes longer shows that a request blocks the process. */
const slowLivezMs = 500;
/** Cases of which one is to blame are run again, so many at a time and then alone. */
const suspectsAtOnce = 16;
/** How long each of them may go without a response. */
const suspectMs = 1_000;
/** How long a server that is busy with earlier cases is waited for. */
const settleMs = 60_000;
/** Of the log, at most so many bugs are held that nobody has looked at. */
const mostBugs = 1_000;

/** Something that went wrong while cases were under way. */
export interface Incident extends Fault {
  readonly suspects: readonly number[];
}

/** Runs cases on a server, and finds those to blame for what goes wrong. */
export interface Detective {
  /** Runs a case. @returns the class of what its response shows to be wrong */
  run(each: FuzzCase): Promise<string | undefined>;
  /** Runs a case alone, and reports everything that goes wrong in the meantime. */
  runAlone(each: FuzzCase): Promise<readonly Fault[]>;
  /**
   * Finds the first case to blame.
   *
   * @returns what is new of its faults; undefined when no case alone shows any
   */
  investigate(
    incident: Incident,
    isNew: (fault: Fault) => boolean,
  ): Promise<readonly Finding[] | undefined>;
  /** What the last case of a connection received. */
  readonly received: Buffer;
  /** Takes the bugs that the log has reported since the last call. */
  takeBugs(): readonly string[];
  /** Whether `/livez` was slow since the last call. */
  wasSlow(): boolean;
  stop(): void;
}

/** Takes each line of the log that reports a bug. */
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

export function createDetective(
  subject: Subject,
  { bugs }: BugLog,
  corpus: readonly Call[],
  seed: number,
): Detective {
  const probe: HealthProbe = startHealthProbe(() => subject.server.port);
  let received: Buffer = Buffer.alloc(0);
  const takeBugs = () => [...new Set(bugs.splice(0))];
  const wasSlow = () => probe.slowest() > slowLivezMs;

  async function run(each: FuzzCase, timeoutMs?: number): Promise<string | undefined> {
    if (each.kind === "file") return readFileCase(each);
    const outcome = await sendCase(each, subject.server.port, timeoutMs);
    received = outcome.received;
    // A process that ends closes its connections before it is seen to have ended.
    if (received.length === 0) await delay(50);
    return outcome.fault;
  }

  /** Waits until the server has done with what earlier cases made it do, which can take many seconds. */
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
      // Another process can take the machine's time once, but hardly twice.
      await run(each);
      if (wasSlow()) faults.push({ kind: "slow", signature: each.name });
    }
    if (own && logged.length === 0) faults.push({ kind: own, signature: each.name });
    return faults;
  }

  /** Of many suspects those that show a fault together, a few at a time; all when they are few. */
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

  /** Leaves out one mutation after the other, as long as the fault shows. */
  async function needed({ number, mutations }: FuzzCase, fault: Fault): Promise<number[]> {
    let only = Array.from({ length: mutations }, (_, index) => index);
    for (const index of only) {
      const fewer = new Set(only.filter((each) => each !== index));
      const faults = await runAlone(caseOf(corpus, seed, number, fewer));
      if (faults.some((each) => keyOf(each) === keyOf(fault))) only = [...fewer];
    }
    return only.length === mutations ? [] : only;
  }

  return {
    run,
    runAlone,
    async investigate({ suspects }, isNew) {
      for (const number of await narrowed(suspects)) {
        const whole = caseOf(corpus, seed, number);
        const faults = await runAlone(whole);
        if (faults.length === 0) continue;
        const findings: Finding[] = [];
        for (const fault of faults.filter(isNew)) {
          const only = await needed(whole, fault);
          findings.push({ ...fault, name: whole.name, seed, number, only });
        }
        return findings;
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
