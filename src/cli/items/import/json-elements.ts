import { CommandError } from "../../command-error.ts";
import { type Line, maxLineBytes } from "./lines.ts";

const [quote, backslash, open, close] = Buffer.from('"\\{}');

/**
 * Reads the objects of a JSON array, as lines whose numbers are their positions in the array.
 *
 * @throws CommandError if the text is not an array of objects
 */
export async function* readElements(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0;
  /** Open braces. 0 is between two objects. */
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  let text = new BoundedText();
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (isString) {
        isString = isEscaped || byte !== quote;
        isEscaped = !isEscaped && byte === backslash;
      } else if (byte === quote) {
        isString = true;
      } else if (byte === open) {
        depth += 1;
        if (depth > 1) continue;
        text.append(chunk.subarray(from, at));
        checkSeparator(text.whole(), number === 0 ? "[" : ",");
        text = new BoundedText();
        from = at;
      } else if (byte === close && depth > 0) {
        depth -= 1;
        if (depth > 0) continue;
        number += 1;
        text.append(chunk.subarray(from, at + 1));
        yield { number, bytes: text.whole() };
        text = new BoundedText();
        from = at + 1;
      }
    }
    text.append(chunk.subarray(from));
  }
  checkSeparator(text.whole(), number === 0 ? "[]" : "]");
}

/** A text in parts, which is not kept if it is too long. */
class BoundedText {
  readonly #parts: Buffer[] = [];
  #length = 0;

  append(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= maxLineBytes) this.#parts.push(part);
  }

  /** Returns undefined if the text is too long. */
  whole(): Buffer | undefined {
    return this.#length <= maxLineBytes ? Buffer.concat(this.#parts) : undefined;
  }
}

function checkSeparator(bytes: Buffer | undefined, expected: string): void {
  const text = bytes?.toString("utf8").replace(/[\ufeff\s]/g, "");
  if (text === expected) return;
  throw new CommandError(
    "invalid_argument",
    'the file must be one JSON array of items, such as [{"petId":5,"quantity":10,"status":"available"}]',
  );
}
