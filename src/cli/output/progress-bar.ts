import type { Environment } from "../environment.ts";
import { control, print } from "./terminal.ts";

/** A progress bar on a terminal. Its disposal erases it. */
export interface ProgressBar {
  /** Adds to the progress, in the unit of the total. */
  advance(amount: number): void;
  /** Erases the bar until the next advance. Call it before other text is written to the terminal. */
  clear(): void;
  [Symbol.dispose](): void;
}

const cells = 30;
const redrawEveryMs = 100;

/** Creates a bar on standard error, if that is a terminal. @param label text before the bar @param total the amount at 100 % */
export function createProgressBar(
  { stderr, showsProgress }: Environment,
  label: string,
  total: number,
): ProgressBar {
  let done = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  const clear = () => {
    if (showsProgress) print(stderr, control.restartLine);
  };
  return {
    advance(amount) {
      done += amount;
      const now = performance.now();
      if (!showsProgress || now - drawnAt < redrawEveryMs) return;
      drawnAt = now;
      // A file can grow while it is being read.
      const part = total > 0 ? Math.min(1, done / total) : 1;
      const full = Math.round(part * cells);
      const bar = "#".repeat(full) + ".".repeat(cells - full);
      print(stderr, [control.lineStart, `${label} [${bar}] ${Math.floor(part * 100)}%`]);
    },
    clear,
    [Symbol.dispose]: clear,
  };
}
