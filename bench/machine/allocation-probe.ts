/** Loaded into a server by `--import`: at SIGUSR2, it writes how many bytes the process has allocated on V8's heap. */

import { renameSync, writeFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

const file = process.env.ALLOCATION_FILE;
if (file !== undefined) {
  process.on("SIGUSR2", () => {
    const { total_allocated_bytes } = getHeapStatistics();
    // A reader must not see a part of the number.
    writeFileSync(`${file}.new`, String(total_allocated_bytes));
    renameSync(`${file}.new`, file);
  });
}
