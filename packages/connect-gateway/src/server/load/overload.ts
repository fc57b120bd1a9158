import { performance as ofProcess } from "node:perf_hooks";
import { type Holder, SharedPool } from "../../call/shared-pool.ts";
import { startTimer } from "../../call/timer.ts";
import { TickBudget } from "../../http/tick-budget.ts";

/**
 * Most admissions in progress. The store serves its calls first come, first served, so further requests wait in this
 * process, which serves callers in turn. At 1 ms for a call to the store, that is 256,000 admissions per second.
 */
export const maxUndecided = 256;
/** Longest time that a request waits for its admission, expected or real, in milliseconds. Then it is refused. */
export const maxWaitMs = 400;
/** Longest expected wait at which anonymous requests are admitted, in milliseconds. */
const anonymousWaitMs = 50;
/** Length of a measurement of the rate of decisions, in milliseconds. */
const periodMs = 100;
/** Smallest number of requests at which the rate is measured. A burst of one busy client is smaller. */
const smallBacklog = 32;
/** Event-loop utilization above which the process itself is the bottleneck, not the store. */
const busyShare = 0.9;

/** A new request. Its properties are read only when there is much to do. */
export interface Arrival {
  /** The same for all requests of a caller. */
  readonly caller: unknown;
  /** Whether nobody may vouch for it. */
  readonly isAnonymous: boolean;
  /** How long the client still waits, in milliseconds; undefined for no limit. */
  readonly timeoutMs: number | undefined;
  /** Begins its admission. Must not throw. */
  begin(): void;
  /** Refuses it, because it has waited for {@link maxWaitMs}, or until its deadline. Must not throw. */
  giveUp(): void;
}

/**
 * Why a request is refused: too many requests are open; its client or account has its share; its expected or its real wait for
 * admission is too long.
 */
export type OverloadCause = "in_flight" | "share" | "backlog" | "queue";

/** The rate of decisions until two periods are over: nobody waits. */
const unknownRate = {
  /** Decisions per millisecond; infinite while unknown, and 0 while requests wait for a store that does not reply. */
  perMs: Number.POSITIVE_INFINITY,
  /** The same of the last period alone. */
  latest: Number.POSITIVE_INFINITY,
  /** Whether the event loop hardly ever waits. If it does, requests wait for the store. */
  isBusy: false,
};

export interface AdmissionQueue {
  /**
   * Returns whether to refuse a request before any work is done for it. As the expected wait grows, it first refuses
   * requests that would time out and anonymous requests, then all requests.
   *
   * @param holder the places of the request's client; undefined when they are not counted
   */
  refuses(arrival: Pick<Arrival, "isAnonymous" | "timeoutMs">, holder: Holder | undefined): boolean;
  /** Begins the admission of a request, now or in turn. @throws any error of its properties. The request is not counted then */
  enter(arrival: Arrival): void;
  /** Counts a decision on a request that has begun. */
  leave(): void;
}

/**
 * Creates the queue of a process. It limits the admissions in progress, serves callers in turn, and refuses requests that
 * would wait for too long.
 *
 * By Little's law, the wait of a new request is the number of waiting requests divided by the rate of decisions. The rate
 * is measured only while there is a backlog: without one, the process decides as fast as requests arrive. The higher rate
 * of the last two periods counts, so that one pause, such as a garbage collection, does not look like overload.
 */
export function createAdmissionQueue(): AdmissionQueue {
  const budget = new TickBudget("admissions");
  /** Requests that wait or whose admission is in progress. */
  let count = 0;
  let undecided = 0;
  let decided = 0;
  let rate = unknownRate;
  let isMeasuring = false;

  function measure(): void {
    isMeasuring = true;
    const begun = { at: performance.now(), decided, loop: ofProcess.eventLoopUtilization() };
    const end = () => {
      isMeasuring = false;
      if (count < smallBacklog) {
        rate = unknownRate;
        return;
      }
      const latest = (decided - begun.decided) / (performance.now() - begun.at);
      const { utilization } = ofProcess.eventLoopUtilization(begun.loop);
      rate = { perMs: Math.max(rate.latest, latest), latest, isBusy: utilization > busyShare };
      measure();
    };
    setTimeout(end, periodMs).unref();
  }

  function wait(arrival: Arrival): void {
    const { caller, timeoutMs = maxWaitMs } = arrival;
    let isOver = false;
    const end = () => {
      isOver = true;
      count -= 1;
      decided += 1;
      arrival.giveUp();
    };
    const timer = startTimer(end, Math.min(timeoutMs, maxWaitMs));
    budget.defer(caller, () => {
      if (isOver) return true;
      if (undecided >= maxUndecided) return false;
      clearTimeout(timer);
      undecided += 1;
      // Not at once: its work must not count as that of the queue.
      queueMicrotask(() => arrival.begin());
      return true;
    });
  }

  return {
    refuses(arrival, holder) {
      if (count < smallBacklog || rate.perMs === 0) return false;
      const hasShare = holder && !holder.isExempt;
      // Clients take turns, so no more requests are admitted before the latest one of a client.
      const before = hasShare ? holder.count * holder.pool.owners : Number.POSITIVE_INFINITY;
      const waitMs = Math.min(count, maxUndecided + before) / rate.perMs;
      if (waitMs <= anonymousWaitMs) return false;
      if (waitMs > maxWaitMs) return true;
      const { isAnonymous, timeoutMs } = arrival;
      // If the process waits for a store, refusing anonymous requests does not help.
      return (isAnonymous && rate.isBusy) || (timeoutMs !== undefined && timeoutMs < waitMs);
    },
    enter(arrival) {
      const mustWait =
        undecided >= maxUndecided ||
        (budget.hasDeferred && budget.isWaiting(arrival.caller)) ||
        !budget.take();
      if (mustWait) wait(arrival);
      count += 1;
      if (count >= smallBacklog && !isMeasuring) measure();
      if (mustWait) return;
      undecided += 1;
      arrival.begin();
    },
    leave() {
      count -= 1;
      decided += 1;
      undecided -= 1;
    },
  };
}

/** Kinds of requests. Each has its own limit. */
export type RequestKind = "unary" | "stream" | "public";

export interface InFlightLimits {
  /** Most open unary calls. Public requests are counted separately, with the same limit. */
  readonly maxRequests: number;
  /** Most open calls that stream in either direction. */
  readonly maxStreams: number;
}

/** Creates the pools of open requests, which are counted from before admission until the response is passed to node. */
export function createPools({ maxRequests, maxStreams }: InFlightLimits) {
  return {
    unary: new SharedPool({ name: "requests", size: maxRequests }),
    stream: new SharedPool({ name: "streams", size: maxStreams }),
    public: new SharedPool({ name: "public requests", size: maxRequests }),
  };
}

/** The work of a refusal, in units of a short request: so large that refusals leave most of a tick to other requests. */
const refusalSteps = 8;
/** Most refusals that wait. Further ones are sent at once, because waiting requests take memory. */
const maxRefusals = 4_096;

/**
 * Limits the refusals that one event-loop tick sends. A client that repeats its refused requests at once would otherwise
 * keep the process from serving those that it has admitted.
 *
 * @returns sends the refusal of a client, now or in a later tick. Clients take turns. `refuse` must not throw
 */
export function createRefusalTurns() {
  const budget = new TickBudget("refusals");
  let waiting = 0;
  return (client: string | undefined, refuse: () => void): void => {
    if (waiting >= maxRefusals || (!budget.hasDeferred && budget.take(refusalSteps))) {
      refuse();
      return;
    }
    waiting += 1;
    const work = () => {
      waiting -= 1;
      refuse();
      return true;
    };
    budget.defer(client, work, refusalSteps);
  };
}
