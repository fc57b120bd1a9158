import type { Writable } from "node:stream";
import { printable } from "./printable.ts";
import { shortened } from "./text-width.ts";

export type Screen = NonNullable<ReturnType<typeof openScreen>>;

const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
const clear = "\u001b[2J";
const toStart = "\u001b[H";
const eraseLine = "\u001b[K";
const eraseRest = "\u001b[J";

/** The size of a stream that reports none, as in a pipe. */
const defaultSize = { columns: 80, rows: 24 };

/**
 * Opens a terminal whose whole content is replaced again and again.
 *
 * @returns undefined if the stream is not a terminal
 */
export function openScreen(stdout: Writable & Partial<typeof defaultSize>) {
  if (!("isTTY" in stdout && stdout.isTTY === true)) return undefined;
  const rows = () => stdout.rows || defaultSize.rows;
  const columns = () => stdout.columns || defaultSize.columns;
  stdout.write(hideCursor + clear);
  return {
    /** Most lines that `draw` shows. */
    rows,
    /** Most columns that `draw` shows. */
    columns,
    draw(lines: readonly string[]): void {
      const shown = lines.slice(0, rows() - 1).map((line) => shortened(printable(line), columns()));
      stdout.write(toStart + shown.map((line) => `${line}${eraseLine}\n`).join("") + eraseRest);
    },
    /** Shows the cursor again. */
    close: () => void stdout.write(showCursor),
  };
}
