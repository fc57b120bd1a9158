import type { Holder } from "../call/shared-pool.ts";

/** The places of the owner that a response is counted for. */
export type Counter = Holder;

/** A response that has at most one place in a pool. */
export interface Counted {
  counter: Counter | undefined;
}

/**
 * Moves a response to a place of another owner; `undefined` gives its place back.
 *
 * @returns false when there is no place for that owner: the response has none then
 */
export function countBy(response: Counted, counter: Counter | undefined): boolean {
  response.counter?.leave();
  response.counter = undefined;
  if (!counter) return true;
  if (!counter.enter()) return false;
  response.counter = counter;
  return true;
}
