/** Counts open responses. */
export interface Counter {
  count: number;
}

/** A response that is counted by at most one counter. */
export interface Counted {
  counter: Counter | undefined;
}

/** Moves a response from its counter to another one; `undefined` stops counting it. */
export function countBy(response: Counted, counter: Counter | undefined): void {
  if (response.counter) response.counter.count -= 1;
  response.counter = counter;
  if (counter) counter.count += 1;
}
