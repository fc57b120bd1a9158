import { randomInt } from "node:crypto";

/** The random numbers that decide on the id of an order. */
export interface IdChoice {
  /** Added to the time of the order: 0 to 999 microseconds, so that the low digits say nothing. */
  readonly micros: number;
  /**
   * The distance to the last id if the time is not above it: 1 to 10. It is short because many orders at once would
   * otherwise move ids so far ahead of the clock that clients notice.
   */
  readonly step: number;
}

/**
 * Chooses the random numbers of an order id. The id is the store's time in microseconds plus `micros`, or the last id
 * plus `step` if that is greater. So ids ascend, stay exact in a double until the year 2255, and do not count the orders
 * of others.
 */
export function chooseId(): IdChoice {
  const choice = randomInt(10_000);
  return { micros: choice % 1_000, step: 1 + Math.floor(choice / 1_000) };
}
