/** A non-empty line of a file, without its line break. */
export interface Line {
  /** Line number, from 1. Empty lines count. */
  readonly number: number;
  /** Undefined if the line is longer than {@link maxLineBytes}. */
  readonly bytes: Buffer | undefined;
  /** Where an element of a JSON array begins in its file; absent for a line. */
  readonly start?: Position;
}

/** A place in a file. Both numbers begin at 1, and columns are bytes. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Longest line in bytes. Far more than any row needs; it bounds the memory for a file without line breaks. */
export const maxLineBytes = 65_536;

const newline = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from("\ufeff");

/** Longest part of a line in memory, in bytes: enough to reject the line after a BOM and a CR are removed. */
const maxBufferedBytes = maxLineBytes + 8;

/** Reads lines that end with LF or CRLF. Skips a byte order mark (BOM) and empty lines. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 1;
  const begun = Buffer.alloc(maxBufferedBytes);
  let length = 0;
  const append = (piece: Buffer) => {
    length += piece.copy(begun, length);
  };
  const take = () => {
    const whole = Buffer.from(begun.subarray(0, length));
    length = 0;
    return whole;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      append(chunk.subarray(from, end));
      const line = lineOf(number, take());
      if (line) yield line;
      number++;
      from = end + 1;
    }
    append(chunk.subarray(from));
  }
  const last = lineOf(number, take());
  if (last) yield last;
}

function lineOf(number: number, whole: Buffer): Line | undefined {
  let bytes = whole;
  if (number === 1 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)) {
    bytes = bytes.subarray(byteOrderMark.length);
  }
  if (bytes.at(-1) === carriageReturn) bytes = bytes.subarray(0, -1);
  if (bytes.length === 0) return undefined;
  return { number, bytes: bytes.length > maxLineBytes ? undefined : bytes };
}
