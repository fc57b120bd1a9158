import type { Environment } from "./environment.ts";

/** Shows on a terminal how far something is. */
export interface ProgressBar {
  /** @param amount how much more is done */
  advance(amount: number): void;
  /** Takes it off the terminal, until it is drawn again: before anything else is written there. */
  clear(): void;
}

const cells = 30;
const redrawEveryMs = 100;

/**
 * A bar on standard error; none when that is no terminal.
 *
 * @param label what is being done
 * @param total how much there is to do
 */
export function createProgressBar(
  { stderr, isTTY }: Environment,
  label: string,
  total: number,
): ProgressBar {
  let done = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  if (!isTTY) {
    return { advance() {}, clear() {} };
  }
  return {
    advance(amount) {
      done += amount;
      const now = performance.now();
      if (now - drawnAt >= redrawEveryMs) {
        drawnAt = now;
        // A file can grow while it is read.
        const part = Math.min(1, done / total);
        const full = Math.round(part * cells);
        const bar = "#".repeat(full) + ".".repeat(cells - full);
        stderr.write(`\r${label} [${bar}] ${Math.floor(part * 100)}%`);
      }
    },
    clear() {
      // To the start of the line, and erase it.
      stderr.write("\r\u001b[K");
    },
  };
}
