import { getOrInsert } from "../call/get-or-insert.ts";

/** Time that new work may take in one event-loop tick, in milliseconds. */
const tickMs = 3;
/** Most steps in one tick. The clock does not show work that a step causes later in the same tick, such as writes. */
const maxSteps = 128;
/** Steps that are done before the clock is read. At low load the clock is hardly ever read. */
const freeSteps = 8;
/** Time that a step counts as at least, in milliseconds, because of the work that it causes later. */
export const stepMs = tickMs / maxSteps;

/** Most time of work that can count in a later tick than its own, in milliseconds. */
const unscheduledMs = 1;

/** Time until work that could not be done is tried again, in milliseconds. */
const retryMs = 1;

/** Deferred work. @returns false when neither it nor other work of this kind can be done yet */
type Work = () => boolean;

interface Deferred {
  readonly work: Work;
  readonly steps: number;
  /** Once it is destroyed, its client waits no longer. */
  readonly response: { readonly destroyed: boolean } | undefined;
}

/** Owners whose work took less than this lately go first. Each further level begins at twice the time. */
const lightMs = 8 * stepMs;
/** Number of levels. The last one begins at 3 s. */
const levelCount = 16;
/** Time in which the recorded use of an owner halves, in milliseconds. */
const halfLifeMs = 100;

interface Flow {
  readonly queue: Deferred[];
  /** Time that its work took lately, in milliseconds: it halves every {@link halfLifeMs}. */
  usedMs: number;
  /** Whether it is in one of the lists, or is being served: it must not be listed twice. */
  isListed: boolean;
}

/**
 * Bounds the new work of one kind in an event-loop tick.
 *
 * One poll of the event loop can bring thousands of requests, which together would block every other request. Here, a
 * tick starts new work for {@link tickMs}. Further work waits for later ticks, in one queue for each owner. The owners
 * whose work took the least time lately go first, and those with similar use take turns.
 */
export class TickBudget {
  /** SECURITY.md has a row for each name. */
  readonly name: string;
  readonly #now: () => number;
  #steps = 0;
  #startedAt = 0;
  #spentMs = 0;
  /** Whether this tick must begin no more work. For work whose time `spend` counts, instead of `take`. */
  isSpent = false;
  #isScheduled = false;
  #flows = new Map<unknown, Flow>();
  #decayedAt = 0;
  /** Flows with work by their use, in the order in which they are served. */
  #levels: Flow[][] = Array.from({ length: levelCount }, () => []);
  #listed = 0;

  /** @param now returns the time in milliseconds */
  constructor(name: string, now = () => performance.now()) {
    this.name = name;
    this.#now = now;
  }

  /** Asks to begin work now. @param steps its size, in units of a short request @returns false when it must be deferred */
  take(steps = 1): boolean {
    if (this.isSpent) return false;
    const before = this.#steps;
    this.#steps += steps;
    if (this.#steps < freeSteps) return true;
    if (before < freeSteps) {
      this.#startedAt = this.#now();
      this.#schedule();
      return true;
    }
    this.isSpent = before >= maxSteps || this.#now() - this.#startedAt > tickMs;
    return !this.isSpent;
  }

  /**
   * Counts the time of work in this tick, in milliseconds. Calls `setImmediate` only after {@link unscheduledMs}, because
   * it makes the event loop poll more often, which costs more than short work.
   */
  spend(ms: number): void {
    this.#spentMs += ms;
    if (this.#spentMs > tickMs) this.isSpent = true;
    if (this.#spentMs > unscheduledMs) this.#schedule();
  }

  /** Counts time as an owner's use, so that its deferred work waits for that of others. In milliseconds. */
  charge(owner: unknown, ms: number): void {
    this.#decay(this.#now());
    this.#flowOf(owner).usedMs += ms;
  }

  /**
   * Does work in a later tick, after all earlier work of the same owner.
   *
   * @param owner on whose behalf the work is done, such as a caller or a connection
   * @param work must not throw
   * @param steps its size, in units of a short request
   * @param response the work is for this response, and counts as nothing once that is destroyed
   */
  defer(owner: unknown, work: Work, steps = 1, response?: Deferred["response"]): void {
    this.#decay(this.#now());
    const flow = this.#flowOf(owner);
    flow.queue.push({ work, steps, response });
    if (!flow.isListed) this.#enqueue(flow);
    this.#schedule();
  }

  isWaiting(owner: unknown): boolean {
    const flow = this.#flows.get(owner);
    return flow !== undefined && flow.queue.length > 0;
  }

  get hasDeferred(): boolean {
    return this.#listed > 0;
  }

  #flowOf(owner: unknown): Flow {
    return getOrInsert(this.#flows, owner, newFlow);
  }

  #enqueue(flow: Flow): void {
    flow.isListed = true;
    this.#listOf(flow).push(flow);
    this.#listed += 1;
  }

  #listOf({ usedMs }: Flow): Flow[] {
    const level = usedMs < lightMs ? 0 : 1 + Math.floor(Math.log2(usedMs / lightMs));
    return this.#levels[Math.min(level, levelCount - 1)] ?? [];
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(endTick, this);
  }

  static endTick(budget: TickBudget): void {
    budget.#isScheduled = false;
    // Work that is started by deferred work must wait for the next tick.
    budget.isSpent = true;
    if (budget.#listed > 0) budget.#serve();
    budget.isSpent = false;
    budget.#steps = 0;
    budget.#spentMs = 0;
  }

  #serve(): void {
    const begin = this.#now();
    this.#decay(begin);
    let now = begin;
    let left = maxSteps;
    while (left > 0 && now < begin + tickMs) {
      const list = this.#levels.find(({ length }) => length > 0);
      const flow = list?.shift();
      const next = flow?.queue.shift();
      if (!list || !flow || !next) return;
      // Otherwise a client that cancels its requests would fill the queue faster than it empties.
      const steps = next.response?.destroyed ? 0 : next.steps;
      left -= steps;
      if (!next.work()) {
        // All further work waits for the same thing.
        flow.queue.unshift(next);
        list.unshift(flow);
        this.#isScheduled = true;
        setTimeout(endTick, retryMs, this);
        return;
      }
      const before = now;
      now = this.#now();
      flow.usedMs += Math.max(now - before, steps * stepMs);
      this.#listed -= 1;
      if (flow.queue.length > 0) this.#enqueue(flow);
      else flow.isListed = false;
    }
    if (this.#listed > 0) this.#schedule();
  }

  /** Once per half-life, reduces the use of all owners, forgets those with almost none, and sorts the others again. */
  #decay(now: number): void {
    if (now - this.#decayedAt < halfLifeMs) return;
    const factor = 0.5 ** ((now - this.#decayedAt) / halfLifeMs);
    this.#decayedAt = now;
    const lists = this.#levels;
    this.#levels = Array.from({ length: levelCount }, () => []);
    for (const [owner, flow] of this.#flows) {
      flow.usedMs *= factor;
      if (flow.usedMs < stepMs && !flow.isListed) this.#flows.delete(owner);
    }
    for (const list of lists) for (const flow of list) this.#listOf(flow).push(flow);
  }
}

function newFlow(): Flow {
  return { queue: [], usedMs: 0, isListed: false };
}

const { endTick } = TickBudget;
