/**
 * Loaded into a server by `--import`: at SIGUSR2, it writes what the process has made so far (`Made` in server.ts).
 * COUNT_ASYNC makes it count promises and ticks, which makes the process slower. Plain JavaScript, because node would load
 * its compiler for a TypeScript file before the compile cache is enabled.
 */

import { createHook } from "node:async_hooks";
import { renameSync, writeFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

const { PROBE_FILE: file, COUNT_ASYNC: countsAsync } = process.env;
const counts = { promises: 0, ticks: 0 };
if (countsAsync !== undefined) {
  createHook({
    init(_, type) {
      if (type === "PROMISE") counts.promises += 1;
      else if (type === "TickObject" || type === "Immediate") counts.ticks += 1;
    },
  }).enable();
}
if (file !== undefined) {
  process.on("SIGUSR2", () => {
    const allocated = getHeapStatistics().total_allocated_bytes;
    const made = { allocated, ...(countsAsync !== undefined && counts) };
    // A reader must not see a part of it.
    writeFileSync(`${file}.new`, JSON.stringify(made));
    renameSync(`${file}.new`, file);
  });
}
