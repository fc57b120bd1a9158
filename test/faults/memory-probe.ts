/**
 * Loaded into a server process by `--import`, with `--expose-gc`: on SIGUSR2 it collects garbage and
 * writes a line `memory <bytes of live objects> <bytes of the whole process>`.
 */
process.on("SIGUSR2", () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.stdout.write(`memory ${heapUsed + external} ${rss}\n`);
});
