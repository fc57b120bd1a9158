import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Returns a function that runs `work` at most once at a time. Calls made during a run share its result. `work` runs in
 * the async context of the call to `singleFlight`, so it does not see the deadline of one of its callers.
 *
 * @param work a rejection reaches every caller that shares the run
 */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  const outside = AsyncLocalStorage.snapshot();
  let running: Promise<T> | undefined;
  return () => {
    running ??= outside(work).finally(() => {
      running = undefined;
    });
    return running;
  };
}
