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
const nothing = Buffer.alloc(0);

/** Longest part of a line in memory, in bytes: enough to reject the line after a BOM and a CR are removed. */
const maxBufferedBytes = maxLineBytes + 8;

/** Reads lines that end with LF or CRLF. Skips a byte order mark (BOM) and empty lines. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 1;
  const begun = new LineStart();
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      const line = lineOf(number, begun.take(), chunk.subarray(from, end));
      if (line) {
        yield line;
      }
      number++;
      from = end + 1;
    }
    begun.append(chunk.subarray(from));
  }
  const last = lineOf(number, begun.take(), nothing);
  if (last) {
    yield last;
  }
}

/** Buffers the start of a line whose end has not been read. Doubles its size, so small chunks stay cheap. */
class LineStart {
  #bytes: Buffer = nothing;
  #length = 0;

  append(chunk: Buffer): void {
    const length = Math.min(this.#length + chunk.length, maxBufferedBytes);
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.#length, 0, length - this.#length);
    this.#length = length;
  }

  /** Returns the buffered bytes and starts the next line. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = nothing;
    this.#length = 0;
    return bytes;
  }
}

function lineOf(number: number, begun: Buffer, rest: Buffer): Line | undefined {
  let bytes = begun.length === 0 ? rest : Buffer.concat([begun, rest]);
  if (number === 1 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)) {
    bytes = bytes.subarray(byteOrderMark.length);
  }
  if (bytes.at(-1) === carriageReturn) {
    bytes = bytes.subarray(0, -1);
  }
  if (bytes.length === 0) {
    return undefined;
  }
  return { number, bytes: bytes.length > maxLineBytes ? undefined : bytes };
}
