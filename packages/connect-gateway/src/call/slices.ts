/** Duration of a slice, in milliseconds. The last step of a slice may exceed it. */
const sliceMs = 2;

/** Most messages of a list that are written at once, which takes a fraction of a millisecond. */
export const maxElementsAtOnce = 256;

/** Time that begins of work can take before it counts in the event-loop tick, in milliseconds. */
const unscheduledMs = 1;

/** Time that begins of work have taken in this event-loop tick, in milliseconds. */
let begunMs = 0;
let isScheduled = false;

const nextTick = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Settles when all earlier work of more than one slice has ended. */
let earlier: Promise<unknown> = Promise.resolve();

/**
 * Does long work in slices, so that other requests are served in between. Work of more than one slice waits until
 * earlier such work has ended. Work begins in a later event-loop tick if begins have taken a slice in this tick already.
 *
 * @param work yields after every step, which should take much less than 2 ms
 * @returns the result, or a promise of it when the work takes more than one slice, or begins later
 * @throws any error that the work throws
 */
export function inSlices<T>(work: Generator<void, T>): T | Promise<T> {
  if (begunMs > sliceMs) return nextTick().then(() => inSlices(work));
  const begun = performance.now();
  const first = slice(work);
  count(performance.now() - begun);
  if (first.done) return first.value;
  const rest = earlier.then(() => continued(work));
  earlier = rest.catch(() => {});
  return rest;
}

function count(ms: number): void {
  begunMs += ms;
  if (begunMs <= unscheduledMs || isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    begunMs = 0;
    isScheduled = false;
  });
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
