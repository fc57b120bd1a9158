import type { Environment } from "../environment.ts";

/** A progress bar on a terminal. Its disposal erases it. */
export interface ProgressBar extends Disposable {
  /** Adds to the progress, in the unit of the total. */
  advance(amount: number): void;
  /** Erases the bar until the next advance. Call it before other text is written to the terminal. */
  clear(): void;
}

const cells = 30;
const redrawEveryMs = 100;

/**
 * Creates a bar on standard error. The bar is not drawn if standard error is not a terminal.
 *
 * @param label text before the bar
 * @param total the amount at 100 %
 */
export function createProgressBar(
  { stderr, showsProgress }: Environment,
  label: string,
  total: number,
): ProgressBar {
  let done = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  if (!showsProgress) {
    return { advance() {}, clear() {}, [Symbol.dispose]() {} };
  }
  // Moves to the start of the line and erases it.
  const clear = () => void stderr.write("\r\u001b[K");
  return {
    advance(amount) {
      done += amount;
      const now = performance.now();
      if (now - drawnAt >= redrawEveryMs) {
        drawnAt = now;
        // A file can grow while it is being read.
        const part = total > 0 ? Math.min(1, done / total) : 1;
        const full = Math.round(part * cells);
        const bar = "#".repeat(full) + ".".repeat(cells - full);
        stderr.write(`\r${label} [${bar}] ${Math.floor(part * 100)}%`);
      }
    },
    clear,
    [Symbol.dispose]: clear,
  };
}
