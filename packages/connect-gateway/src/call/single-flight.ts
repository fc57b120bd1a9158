/**
 * Returns a function that runs `work` at most once at a time. Calls made during a run share its result.
 *
 * @param work a rejection reaches every caller that shares the run
 */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}
