import { setImmediate as nextTick } from "node:timers/promises";

/** How long work holds the event loop at once, in milliseconds, but for the rest of a step. */
const sliceMs = 2;

/** Longest list, in messages, that is written at once: a fraction of a millisecond's work. */
export const longList = 256;

/** All work so far that took more than a slice. */
let earlier: Promise<unknown> = Promise.resolve();

/**
 * Does long work in slices, so that other requests are served in between. Work that takes more than one slice
 * waits until earlier such work has ended.
 *
 * @param work yields after every step; a step is to take much less than a slice
 * @returns the result; a promise of it when it takes more than a slice
 * @throws any error that the work throws
 */
export function inSlices<T>(work: Generator<void, T>): T | Promise<T> {
  const first = slice(work);
  if (first.done) return first.value;
  const rest = earlier.then(() => continued(work));
  earlier = rest.catch(() => {});
  return rest;
}

async function continued<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    await nextTick();
    const step = slice(work);
    if (step.done) return step.value;
  }
}

function slice<T>(work: Generator<void, T>): IteratorResult<void, T> {
  const end = performance.now() + sliceMs;
  let step = work.next();
  while (!step.done && performance.now() < end) step = work.next();
  return step;
}
