import type { TickBudget } from "../../http/tick-budget.ts";

/**
 * Most admissions in progress. The store serves its calls first come, first served. So further requests wait in this
 * process, which serves callers round-robin. At 1 ms for a call to the store, the limit is 256,000 admissions per
 * second.
 */
export const maxUndecided = 256;

/** Longest time that a request waits, in milliseconds. Then it is refused. */
export const maxWaitMs = 400;

/**
 * Creates the queue of a process. It limits the admissions in progress. When too many requests arrive, each caller gets
 * a fair share.
 *
 * @param budget limits the admissions that one event-loop tick begins
 * @param callerOf returns the same value for requests of the same caller
 */
export function createAdmissionQueue<Request>(
  budget: TickBudget,
  callerOf: (request: Request) => unknown,
) {
  let undecided = 0;
  return {
    /** Begins an admission if the limit allows it. @returns false when the request must wait */
    begin(request: Request): boolean {
      if (undecided >= maxUndecided) return false;
      if (budget.hasDeferred && budget.isWaiting(callerOf(request))) return false;
      if (!budget.take()) return false;
      undecided += 1;
      return true;
    },
    /** Waits until the admission can begin. @returns false when the request has waited for {@link maxWaitMs} */
    wait(request: Request): Promise<boolean> {
      return new Promise((resolve) => {
        let isOver = false;
        const timer = setTimeout(() => {
          isOver = true;
          resolve(false);
        }, maxWaitMs);
        budget.defer(callerOf(request), () => {
          if (isOver) return true;
          if (undecided >= maxUndecided) return false;
          clearTimeout(timer);
          undecided += 1;
          resolve(true);
          return true;
        });
      });
    },
    /** Ends an admission that has begun. */
    end(): void {
      undecided -= 1;
    },
  };
}
