import { setImmediate as nextTick } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { singleFlight } from "../../packages/connect-gateway/src/call/single-flight.ts";
import { CallerWork } from "../../packages/connect-gateway/src/http/caller-work.ts";
import {
  createAdmissionQueue,
  maxUndecided,
  maxWaitMs,
} from "../../packages/connect-gateway/src/server/load/overload.ts";
import type { CallContext } from "../../src/common/call-context.ts";
import { createKeyCheck } from "../../src/services/watch/key-watch.ts";
import { createSnapshotPages } from "../../src/services/watch/snapshot-pages.ts";
import { createWatcher } from "../../src/services/watch/watcher.ts";
import { createGroupCommit } from "../../src/stores/redis/connection/group-commit.ts";
import { createListCache } from "../../src/stores/redis/stock/list-cache.ts";
import { batchByTick } from "../../src/stores/redis/tick-batch.ts";
import { createPastDays } from "../../src/stores/redis/usage/past-days.ts";
import { noRequests, reportedKeys } from "../../src/stores/usage-store.ts";
import { fakeOwnTimers } from "../support/own-timers.ts";

/** One run of work that callers share. The test decides when it ends. */
interface Run {
  readonly id: number;
  readonly key: number;
  readonly begunAt: number;
  endedAt: number | undefined;
  isFailed: boolean;
  readonly end: PromiseWithResolvers<Run>;
}

/** The work behind a mechanism, on a logical clock that each step of a test moves on. */
class Work {
  time = 0;
  /** When the event-loop tick began. */
  tickedAt = 0;
  readonly runs: Run[] = [];
  /** The most runs of one key that were open at once. */
  most = 0;

  /** Begins a run. Its promise rejects with an error whose cause is the run. */
  begin(key = 0): Promise<Run> {
    this.time += 1;
    const end = Promise.withResolvers<Run>();
    const run = {
      id: this.runs.length,
      key,
      begunAt: this.time,
      endedAt: undefined,
      isFailed: false,
      end,
    };
    this.runs.push(run);
    this.most = Math.max(this.most, this.open(key).length);
    return end.promise;
  }

  open(key?: number): Run[] {
    return this.runs.filter((run) => !run.endedAt && (key === undefined || run.key === key));
  }

  end(nth: number, isFailed: boolean): void {
    const open = this.open();
    const run = open[nth % open.length];
    if (!run) return;
    this.time += 1;
    run.endedAt = this.time;
    run.isFailed = isFailed;
    if (isFailed) run.end.reject(new Error("failed", { cause: run }));
    else run.end.resolve(run);
  }
}

/** A caller, and what it got. */
interface Caller extends CallContext {
  readonly key: number;
  readonly askedAt: number;
  /** When the event-loop tick began in which it asked. */
  readonly tickedAt: number;
  /** Whether it asks while a failure is delivered. */
  readonly isAgain: boolean;
  /** What the real mechanism reads of the caller's response. */
  readonly response: { destroyed: boolean; readonly headers: object };
  /** Driven milliseconds. */
  readonly askedMs: number;
  readonly outcomes: { readonly run?: Run; readonly error?: unknown }[];
}

/** A mechanism by which callers share work, and what it promises. */
interface Mechanism {
  readonly name: string;
  /** Makes it. @returns a function that asks for a caller, and resolves with the run of the caller's result */
  make(work: Work): (caller: Caller) => Promise<Run>;
  /** The most runs of one key at once. */
  readonly bound: number;
  /**
   * Which runs a caller can get: one that began after it asked; one that began in that tick or later, or any that failed
   * since then; one that was open; also one that had succeeded; or one of its own. In no case one that had failed.
   */
  readonly results: "later" | "tick" | "open" | "kept" | "own";
  /** Whether callers with other keys get other runs. */
  readonly isKeyed?: boolean;
  /** Callers that ask at once. */
  readonly burst?: number;
  /** Whether a caller may be refused: because it has left before its run, or has waited too long. */
  mayRefuse?(caller: Caller): boolean;
}

const keyDay = (keyId: string, admitted: number) => ({
  keyId,
  requests: { ...noRequests, admitted },
});

/** Makes the reader of past days, with one day for each key. @param keys the number of API keys of a day */
function pastDays(work: Work, keys: number): (caller: Caller) => Promise<Run> {
  const read = createPastDays(async (_, day) => {
    const run = await work.begin(day);
    const others = Array.from({ length: keys - 1 }, (_, at) => keyDay(`key ${at}`, 1));
    return [keyDay(`run ${run.id}`, 2), ...others];
  });
  return async ({ key }) => {
    const [[first] = []] = await read("an account", [key]);
    return work.runs[Number(first?.keyId.slice("run ".length))] as Run;
  };
}

const mechanisms: readonly Mechanism[] = [
  {
    name: "single flight",
    make(work) {
      const run = singleFlight(() => work.begin());
      return () => run();
    },
    bound: 1,
    results: "open",
  },
  {
    name: "list cache",
    make(work) {
      // The history lacks the version of every cached list, so each read is one of the whole list.
      const connection = { run: async () => null } as never;
      const version = (run: Run) => ({ items: [], version: BigInt(run.id) });
      const cache = createListCache(connection, () => work.begin().then(version));
      return async (caller) => work.runs[Number((await cache.list(caller.askedMs)).version)] as Run;
    },
    bound: 1,
    results: "tick",
  },
  {
    name: "past days of few keys",
    isKeyed: true,
    make: (work) => pastDays(work, 3),
    bound: 1,
    results: "open",
  },
  {
    name: "past days of many keys",
    isKeyed: true,
    make: (work) => pastDays(work, reportedKeys + 1),
    bound: 1,
    results: "kept",
  },
  {
    name: "pages of snapshots",
    isKeyed: true,
    make(work) {
      const runs = new Map<bigint, Run>();
      const page = async (petId = 0n) => {
        const run = await work.begin(Number(petId));
        runs.set(BigInt(run.id), run);
        return { items: [], version: BigInt(run.id), more: false };
      };
      // The clock stands still, so that no page is too old.
      const pages = createSnapshotPages({ page } as never, () => 0);
      return async ({ key }) =>
        work.runs[Number((await pages.after(BigInt(key), undefined)).version)] as Run;
    },
    bound: 1,
    results: "kept",
  },
  {
    name: "batches of a tick",
    isKeyed: true,
    make(work) {
      const run = async (entries: readonly Caller[]) => {
        const begun = await work.begin(entries[0]?.key);
        return entries.map(() => begun);
      };
      return batchByTick(run, 1_000, ({ key }: Caller) => key);
    },
    bound: Number.POSITIVE_INFINITY,
    results: "later",
  },
  {
    name: "checks of keys",
    make(work) {
      let last: Run | undefined;
      const keyStates = async (keyIds: readonly string[]) => {
        last = await work.begin();
        return keyIds.map(() => ({ state: "valid", expiresAt: (last as Run).id }));
      };
      const check = createKeyCheck({ keyStates } as never);
      return async ({ key }) => {
        const watcher = createWatcher(`key ${key}`, () => {});
        await check(watcher);
        return work.runs[watcher.expiresAt as number] as Run;
      };
    },
    bound: Number.POSITIVE_INFINITY,
    results: "later",
  },
  {
    name: "confirmations of replicas",
    make(work) {
      let latest: Promise<Run> | undefined;
      const wait = () => {
        latest = work.begin();
        return latest.then(() => 1);
      };
      const commit = createGroupCommit({ wait } as never, 1);
      const deadline = { explain() {}, isOver: () => false, leftMs: () => 1 } as never;
      return async () => {
        let sentAt = 0;
        await commit(async () => {
          // Otherwise the server could run the change after its caller got a timeout.
          expect(work.open()).toEqual([]);
          sentAt = work.time;
        }, deadline);
        return work.runs.find(({ begunAt }) => begunAt > sentAt) as Run;
      };
    },
    bound: 1,
    results: "later",
  },
  {
    name: "long calls",
    make(work) {
      const calls = new CallerWork();
      return ({ key, response }) =>
        calls.runLong({ owner: `owner ${key}`, deadline: undefined, response }, () => work.begin());
    },
    bound: 2,
    results: "own",
    mayRefuse: ({ response }) => response.destroyed,
  },
  {
    name: "admissions",
    make(work) {
      const queue = createAdmissionQueue();
      return async ({ key }) => {
        await new Promise<void>((resolve, reject) =>
          queue.enter({
            caller: key,
            isAnonymous: false,
            timeoutMs: undefined,
            begin: resolve,
            giveUp: () => reject(new Error("waited too long")),
          }),
        );
        return work.begin().finally(queue.leave);
      };
    },
    bound: maxUndecided,
    results: "own",
    burst: 150,
    mayRefuse: ({ askedMs }) => performance.now() - askedMs >= maxWaitMs,
  },
];

type Step =
  | { readonly ask: number; readonly again: boolean }
  | { readonly end: number; readonly isFailed: boolean }
  | { readonly leave: number }
  | { readonly ticks: number };

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ ask: fc.nat(2), again: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ end: fc.nat(9), isFailed: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ leave: fc.nat(9) }) },
    { weight: 3, arbitrary: fc.record({ ticks: fc.constantFrom(1, 1, 2, 500) }) },
  ),
  { maxLength: 40, size: "max" },
) as fc.Arbitrary<Step[]>;

describe.each(mechanisms)("$name", (mechanism) => {
  const { bound, results, isKeyed = false, burst = 1, mayRefuse } = mechanism;

  let withOwnTimers: ReturnType<typeof fakeOwnTimers>;
  beforeEach(() => {
    withOwnTimers = fakeOwnTimers("performance");
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("give each caller one right outcome, and hold nothing afterwards", async () => {
    await fc.assert(
      fc.asyncProperty(steps, (all) => withOwnTimers(() => check(all))),
      { numRuns: burst > 1 ? 10 : 100 },
    );
  });

  async function check(all: readonly Step[]): Promise<void> {
    const work = new Work();
    const ask = mechanism.make(work);
    const callers: Caller[] = [];

    function join(key: number, again: boolean, isAgain = false): void {
      work.time += 1;
      const caller: Caller = {
        key,
        askedAt: work.time,
        tickedAt: work.tickedAt,
        isAgain,
        response: { destroyed: false, headers: {} },
        askedMs: performance.now(),
        outcomes: [],
      };
      callers.push(caller);
      ask(caller).then(
        (run) => {
          caller.outcomes.push({ run });
        },
        (error: unknown) => {
          caller.outcomes.push({ error });
          // While the failure is delivered to others.
          if (again) join(key, false, true);
        },
      );
    }

    async function tick(count: number): Promise<void> {
      vi.advanceTimersByTime(count);
      work.tickedAt = work.time;
      // What the first one begins may go on in the next.
      for (let at = 0; at < 3; at += 1) await nextTick();
    }

    async function finish(): Promise<void> {
      for (let at = 0; at < 1_000 && callers.some(({ outcomes }) => !outcomes[0]); at += 1) {
        await tick(1);
        while (work.open().length > 0) work.end(0, false);
      }
      await tick(1);
    }

    for (const step of all) {
      if ("ask" in step) for (let at = 0; at < burst; at += 1) join(step.ask, step.again);
      else if ("end" in step) {
        for (let at = 0; at < burst; at += 1) work.end(step.end, step.isFailed);
        for (let at = 0; at < 20; at += 1) await undefined;
      } else if ("leave" in step) {
        const caller = callers[callers.length - 1 - step.leave];
        if (caller) caller.response.destroyed = true;
      } else await tick(step.ticks);
    }
    await finish();

    for (const caller of callers) expectRight(caller);
    expect(work.most).toBeLessThanOrEqual(bound);
    // Each run is somebody's, and callers of a tick share one.
    const ran = callers.flatMap(({ outcomes }) => runOf(outcomes[0]) ?? []);
    expect(new Set(ran)).toEqual(new Set(work.runs));
    if (results === "own") expect(ran).toHaveLength(work.runs.length);
    if (results === "kept") for (const run of work.runs) expect(wasKept(run)).toBe(false);
    const asked = new Set(callers.map(({ tickedAt, key }) => `${tickedAt} ${isKeyed ? key : ""}`));
    if (results === "later" || results === "tick")
      expect(work.runs.length).toBeLessThanOrEqual(asked.size);

    // What is still held would show now: a failure, a place, a caller that waits, a timer.
    const begun = work.runs.length;
    const count = results === "own" ? bound : 1;
    const isKept =
      results === "kept" && work.runs.some(({ key, isFailed }) => key === 0 && !isFailed);
    for (let at = 0; at < count; at += 1) join(0, false);
    for (let at = 0; at < 20; at += 1) await tick(1);
    expect(work.runs.length - begun).toBe(isKept ? 0 : count);
    await finish();
    // Longer than a measurement of the rate of admissions, and shorter than a wait for one.
    vi.advanceTimersByTime(150);
    expect(vi.getTimerCount()).toBe(0);

    /** Whether a run began although an earlier one of its key had succeeded. */
    function wasKept({ key, begunAt }: Run): boolean {
      const isEarlier = ({ endedAt = Number.POSITIVE_INFINITY }: Run) => endedAt < begunAt;
      return work.runs.some((run) => run.key === key && !run.isFailed && isEarlier(run));
    }
  }

  function expectRight(caller: Caller): void {
    expect(caller.outcomes).toHaveLength(1);
    const [outcome] = caller.outcomes;
    const run = runOf(outcome);
    if (!run) {
      expect(mayRefuse?.(caller), String(outcome?.error)).toBe(true);
      return;
    }
    expect(run.isFailed).toBe(outcome?.run === undefined);
    if (results === "later" || results === "own") {
      expect(run.begunAt).toBeGreaterThan(caller.askedAt);
    } else if (results === "tick" && !run.isFailed) {
      expect(run.begunAt).toBeGreaterThan(caller.tickedAt);
    } else if (results === "tick" && caller.isAgain) {
      // Another read of the tick has waited for the one that failed, and is about to fail.
      expect(run.endedAt).toBeGreaterThan(caller.tickedAt);
    } else if (results === "open" || run.isFailed) {
      expect(run.endedAt).toBeGreaterThan(caller.askedAt);
    }
    if (isKeyed) expect(run.key).toBe(caller.key);
  }
});

function runOf(outcome: Caller["outcomes"][number] | undefined): Run | undefined {
  return outcome?.run ?? ((outcome?.error as Error | undefined)?.cause as Run | undefined);
}
