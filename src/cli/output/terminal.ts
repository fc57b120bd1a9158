import type { Writable } from "node:stream";
import { escapeHidden } from "connect-gateway/call";

/** A control sequence of ECMA-48. Only this module makes them, so that no data can. */
class Control {
  readonly sequence: string;
  constructor(sequence: string) {
    this.sequence = sequence;
  }
}

export const control = {
  bold: new Control("\u001b[1m"),
  notBold: new Control("\u001b[22m"),
  red: new Control("\u001b[31m"),
  notRed: new Control("\u001b[39m"),
  lineStart: new Control("\r"),
  /** Moves to the start of the line and erases it. */
  restartLine: new Control("\r\u001b[K"),
  /** Erases what is behind the cursor on its line. */
  eraseLine: new Control("\u001b[K"),
  /** Erases what is behind the cursor on the screen. */
  eraseRest: new Control("\u001b[J"),
  eraseScreen: new Control("\u001b[2J"),
  toStart: new Control("\u001b[H"),
  hideCursor: new Control("\u001b[?25l"),
  showCursor: new Control("\u001b[?25h"),
} as const;

export type Part = string | Control;

type Parts = Part | readonly Part[];

/**
 * Writes parts, and waits until the stream has accepted them. All output of commands passes through this function and
 * {@link print}. They escape control and invisible characters in data as JSON does, such as `\u001b`, except line breaks
 * and tabs: a terminal obeys them, also when it shows a file to which the output was redirected.
 *
 * @throws Error if the stream fails; its code is EPIPE if the reader has closed the pipe
 */
export function write(stream: Writable, parts: Parts): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(textOf(parts), (error) => (error ? reject(error) : resolve()));
  });
}

/** Does the same for a message, without waiting. */
export function print(stream: Writable, parts: Parts): void {
  stream.write(textOf(parts));
}

/** Characters that a terminal obeys or does not show. */
const invisible = /(?![\n\t])[\p{C}\u2028\u2029]/gu;

function textOf(parts: Parts): string {
  return [parts]
    .flat()
    .map((part) =>
      typeof part === "string" ? part.replace(invisible, escapeHidden) : part.sequence,
    )
    .join("");
}
