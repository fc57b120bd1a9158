/** A line of a file, without its end; never an empty one. */
export interface Line {
  /** From 1 on, empty lines counted. */
  readonly number: number;
  /** Undefined when there are more than {@link maxLineBytes}. */
  readonly bytes: Buffer | undefined;
}

/** Far more than any row needs: bounds what is held of a file that has no lines at all. */
export const maxLineBytes = 65_536;

const newline = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from("\ufeff");
const nothing = Buffer.alloc(0);

/** The most bytes of a line that are held: enough to reject it, whatever is removed from its ends. */
const maxHeldBytes = maxLineBytes + 8;

/** Reads lines that end with LF or CRLF. A byte order mark and empty lines are left out. */
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

/** The first bytes of a line whose end has not been read. Grows by doubling: small chunks cost no more. */
class LineStart {
  #bytes: Buffer = nothing;
  #length = 0;

  append(chunk: Buffer): void {
    const length = Math.min(this.#length + chunk.length, maxHeldBytes);
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.#length, 0, length - this.#length);
    this.#length = length;
  }

  /** Returns the bytes and starts the next line. */
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
