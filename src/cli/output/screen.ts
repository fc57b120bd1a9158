import type { Writable } from "node:stream";
import { printable } from "./printable.ts";
import { control, type Part, print } from "./terminal.ts";
import { shortened } from "./text-width.ts";

export type Screen = NonNullable<ReturnType<typeof openScreen>>;

/** The size of a stream that reports none, as in a pipe. */
const defaultSize = { columns: 80, rows: 24 };

/** Opens a terminal whose whole content is replaced again and again; undefined if the stream is not a terminal. */
export function openScreen(stdout: Writable & Partial<typeof defaultSize>) {
  if (!("isTTY" in stdout && stdout.isTTY === true)) return undefined;
  const rows = () => stdout.rows || defaultSize.rows;
  const columns = () => stdout.columns || defaultSize.columns;
  print(stdout, [control.hideCursor, control.eraseScreen]);
  return {
    rows,
    columns,
    draw(lines: readonly string[]): void {
      const shown = lines.slice(0, rows() - 1).map((line) => shortened(printable(line), columns()));
      const erased = shown.flatMap((line): Part[] => [line, control.eraseLine, "\n"]);
      print(stdout, [control.toStart, ...erased, control.eraseRest]);
    },
    close: () => print(stdout, control.showCursor),
  };
}
