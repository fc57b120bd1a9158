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

/** Reads lines that end with LF or CRLF. A byte order mark and empty lines are left out. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 1;
  let begun = nothing;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      const line = lineOf(number, begun, chunk.subarray(from, end));
      if (line) {
        yield line;
      }
      number++;
      begun = nothing;
      from = end + 1;
    }
    // Of a line too long to be used no more is kept than shows that, whatever is taken off its ends.
    begun = Buffer.concat([begun, chunk.subarray(from)]).subarray(0, maxLineBytes + 8);
  }
  const last = lineOf(number, begun, nothing);
  if (last) {
    yield last;
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
