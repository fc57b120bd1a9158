import { AsyncLocalStorage } from "node:async_hooks";

/** When the request that is being answered runs out of time, on the clock of performance.now(). */
const end = new AsyncLocalStorage<number>();

/** Even with nothing left, a wait gets this long: what answers at all answers within it. */
const leastMs = 100;

/**
 * Answers a request with a budget of time for what it waits for.
 *
 * @param ms the budget, in milliseconds
 */
export function withTimeBudget<T>(ms: number, answer: () => T): T {
  return end.run(performance.now() + ms, answer);
}

/** Does what goes on beyond the request that it began with, and so has no budget. */
export function withoutTimeBudget<T>(work: () => T): T {
  return end.exit(work);
}

/**
 * How long the next wait of this request may be, so that its waits add up to no more than the budget.
 *
 * @param most the longest wait, in milliseconds: without a budget, the answer
 */
export function timeLeft(most: number): number {
  const budget = end.getStore();
  return budget === undefined
    ? most
    : Math.max(leastMs, Math.min(most, budget - performance.now()));
}
