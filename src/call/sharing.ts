import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Returns a function that runs `work` at most once at a time. Calls made while it runs get the outcome of that run.
 * `work` runs in the async context of the call to `sharing`, so that no run uses the context of one of its callers.
 *
 * @param work what to run; its rejection reaches every caller that shares the run
 */
export function sharing<T>(work: () => Promise<T>): () => Promise<T> {
  const outside = AsyncLocalStorage.snapshot();
  let running: Promise<T> | undefined;
  return () => {
    running ??= outside(work).finally(() => {
      running = undefined;
    });
    return running;
  };
}
