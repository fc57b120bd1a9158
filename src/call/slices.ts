import { setImmediate as nextTick } from "node:timers/promises";

/** Duration of a slice, in milliseconds. The last step of a slice may exceed it. */
const sliceMs = 2;

/** Most messages of a list that are written at once, which takes a fraction of a millisecond. */
export const maxElementsAtOnce = 256;

/** Settles when all earlier work of more than one slice has ended. */
let earlier: Promise<unknown> = Promise.resolve();

/**
 * Does long work in slices, so that other requests are served in between. Work of more than one slice waits until
 * earlier such work has ended.
 *
 * @param work yields after every step, which should take much less than 2 ms
 * @returns the result, or a promise of it when the work takes more than one slice
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
