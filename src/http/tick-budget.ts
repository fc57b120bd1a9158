/** Time that new work may take in one event-loop tick, in milliseconds. */
const tickMs = 3;
/**
 * Most steps in one tick. The clock does not show the work that a step causes later in the same tick, such as the
 * writes that node delays.
 */
const maxSteps = 128;
/** Steps that are done before the clock is read. At low load the clock is hardly ever read. */
const freeSteps = 8;

/** Time until work that could not be done is tried again, in milliseconds. */
const retryMs = 1;

/** Deferred work. @returns false when neither it nor other work of this kind can be done yet */
type Work = () => boolean;

/** Deferred work and its size. */
interface Deferred {
  readonly work: Work;
  readonly steps: number;
}

/** Owners whose deferred work took at most this many steps in a window go first. */
const lightSteps = 8;
/** Length of a window, in milliseconds. */
const windowMs = 100;

/** The deferred work of one owner. */
interface Flow {
  readonly queue: Deferred[];
  /** Steps that its work took in this window. */
  used: number;
  /** Whether it is in one of the lists, or is being served: it must not be listed twice. */
  isListed: boolean;
}

/**
 * Bounds the new work of one kind in an event-loop tick.
 *
 * One poll of the event loop can bring thousands of requests, which together would block every other request. Here, a
 * tick starts new work for {@link tickMs}. Further work waits for later ticks, in one queue for each owner. Owners with
 * little recent work go first, so a client with few requests does not wait for clients with many. The others are served
 * round-robin.
 */
export class TickBudget {
  readonly #now: () => number;
  #steps = 0;
  #startedAt = 0;
  #isSpent = false;
  #isScheduled = false;
  #flows = new Map<unknown, Flow>();
  #windowEnd = 0;
  /** Flows with work, in the order in which they are served. */
  #light: Flow[] = [];
  #heavy: Flow[] = [];

  /** @param now returns the time in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Asks to begin a step of work now.
   *
   * @param steps how much work it is, in units of a short request
   * @returns false when the work must be deferred
   */
  take(steps = 1): boolean {
    if (this.#isSpent) return false;
    const before = this.#steps;
    this.#steps += steps;
    if (this.#steps < freeSteps) return true;
    if (before < freeSteps) {
      this.#startedAt = this.#now();
      this.#schedule();
      return true;
    }
    this.#isSpent = before >= maxSteps || this.#now() - this.#startedAt > tickMs;
    return !this.#isSpent;
  }

  /**
   * Does work in a later tick, after all earlier work of the same owner.
   *
   * @param owner on whose behalf the work is done, such as a caller or a connection
   * @param work must not throw
   * @param steps how much work it is, in units of a short request
   */
  defer(owner: unknown, work: Work, steps = 1): void {
    let flow = this.#flows.get(owner);
    if (!flow) {
      flow = { queue: [], used: 0, isListed: false };
      this.#flows.set(owner, flow);
    }
    flow.queue.push({ work, steps });
    if (!flow.isListed) this.#enqueue(flow);
    this.#schedule();
  }

  /** Whether an owner has deferred work. */
  isWaiting(owner: unknown): boolean {
    const flow = this.#flows.get(owner);
    return flow !== undefined && flow.queue.length > 0;
  }

  /** Whether anyone has deferred work. */
  get hasDeferred(): boolean {
    return this.#light.length > 0 || this.#heavy.length > 0;
  }

  #enqueue(flow: Flow): void {
    flow.isListed = true;
    (flow.used <= lightSteps ? this.#light : this.#heavy).push(flow);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(endTick, this);
  }

  static endTick(budget: TickBudget): void {
    budget.#endTick();
  }

  #endTick(): void {
    this.#isScheduled = false;
    // Work that is started by deferred work must wait for the next tick.
    this.#isSpent = true;
    if (this.#flows.size > 0) this.#serve();
    this.#isSpent = false;
    this.#steps = 0;
  }

  #serve(): void {
    const begin = this.#now();
    if (begin > this.#windowEnd) this.#startWindow(begin);
    let now = begin;
    let left = maxSteps;
    while (left > 0 && now < begin + tickMs) {
      const list = this.#light.length > 0 ? this.#light : this.#heavy;
      const flow = list.shift();
      const next = flow?.queue.shift();
      if (!flow || !next) return;
      left -= next.steps;
      if (!next.work()) {
        // All further work waits for the same thing.
        flow.queue.unshift(next);
        list.unshift(flow);
        this.#isScheduled = true;
        setTimeout(endTick, retryMs, this);
        return;
      }
      flow.used += next.steps;
      if (flow.queue.length > 0) this.#enqueue(flow);
      else flow.isListed = false;
      now = this.#now();
    }
    if (this.hasDeferred) this.#schedule();
  }

  #startWindow(now: number): void {
    this.#windowEnd = now + windowMs;
    const flows = this.#flows;
    this.#flows = new Map();
    for (const [owner, flow] of flows) {
      flow.used = 0;
      if (flow.queue.length > 0) this.#flows.set(owner, flow);
    }
  }
}

const { endTick } = TickBudget;
