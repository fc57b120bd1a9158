/** Counts responses under way. */
export interface Counter {
  count: number;
}

/** A response that at most one counter counts. */
export interface Counted {
  counter: Counter | undefined;
}

/** Counts a response by `counter` from now on, and no longer by the one before. */
export function countBy(response: Counted, counter: Counter | undefined): void {
  if (response.counter) response.counter.count -= 1;
  response.counter = counter;
  if (counter) counter.count += 1;
}
