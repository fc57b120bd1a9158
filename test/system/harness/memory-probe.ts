/**
 * Loaded into a server process with `--import` and `--expose-gc`. On SIGUSR2, it collects garbage and
 * prints a line `memory <bytes of live objects> <resident bytes of the process>`.
 */
process.on("SIGUSR2", () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.stdout.write(`memory ${heapUsed + external} ${rss}\n`);
});
