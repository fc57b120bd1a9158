import { quote as quoted } from "connect-gateway/call";
import { CommandError } from "../../command-error.ts";
import { type Line, maxLineBytes, type Position } from "./lines.ts";

const [quote, backslash, open, close, newline] = Buffer.from('"\\{}\n');

/** Reads the objects of a JSON array as lines, numbered by position. @throws CommandError with the place of a fault */
export async function* readElements(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0;
  /** Open braces. 0 is between two objects. */
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  let text = boundedText({ line: 1, column: 1 });
  let line = 1;
  /** The number of bytes before the current chunk, and before the current line. */
  let read = 0;
  let lineStart = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === newline) {
        line += 1;
        lineStart = read + at + 1;
      }
      if (isString) {
        isString = isEscaped || byte !== quote;
        isEscaped = !isEscaped && byte === backslash;
      } else if (byte === quote) {
        isString = true;
      } else if (byte === open) {
        depth += 1;
        if (depth > 1) continue;
        text.append(chunk.subarray(from, at));
        checkSeparator(text, number === 0 ? "[" : ",", "{");
        text = boundedText({ line, column: read + at - lineStart + 1 });
        from = at;
      } else if (byte === close && depth > 0) {
        depth -= 1;
        if (depth > 0) continue;
        number += 1;
        text.append(chunk.subarray(from, at + 1));
        yield { number, bytes: text.whole(), start: text.start };
        text = boundedText({ line, column: read + at - lineStart + 2 });
        from = at + 1;
      }
    }
    text.append(chunk.subarray(from));
    read += chunk.length;
  }
  if (depth > 0) {
    throw notAnArray(text.start, "a brace or a quote of the item that begins here is not closed");
  }
  checkSeparator(text, number === 0 ? "[]" : "]", "");
}

/** Makes a text in parts, which is not kept if it is too long. */
function boundedText(start: Position) {
  const parts: Buffer[] = [];
  let length = 0;
  return {
    start,
    append(part: Buffer): void {
      length += part.length;
      if (length <= maxLineBytes) parts.push(part);
    },
    whole: () => (length <= maxLineBytes ? Buffer.concat(parts) : undefined),
  };
}

/** @param next what follows the separator; "" for the end of the file */
function checkSeparator(
  text: ReturnType<typeof boundedText>,
  expected: string,
  next: string,
): void {
  const { start } = text;
  const bytes = text.whole();
  if (!bytes) {
    throw notAnArray(start, `there are more than ${maxLineBytes} bytes between two items`);
  }
  let { line, column } = start;
  let left = expected;
  const characters = bytes.toString("utf8");
  if (next === "" && /^\s*,\s*\]/.test(characters)) {
    throw notAnArray(start, "remove the comma after the last item");
  }
  if (next === "{" && expected === "," && /^\s*\]/.test(characters)) {
    throw notAnArray(start, "the array ends before the last item");
  }
  for (const character of characters) {
    if (!/[\ufeff\s]/.test(character)) {
      if (character !== left[0]) throw expectedAt({ line, column }, left[0] ?? next, character);
      left = left.slice(1);
    }
    column += Buffer.byteLength(character);
    if (character === "\n") {
      line += 1;
      column = 1;
    }
  }
  if (left !== "") throw expectedAt({ line, column }, left[0] ?? "", next);
}

/** @param expected, found a character; "" for the end of the file */
function expectedAt(position: Position, expected: string, found: string): CommandError {
  const named = (text: string) => (text === "" ? "the end" : quoted(text));
  return notAnArray(position, `expected ${named(expected)}, found ${named(found)}`);
}

function notAnArray({ line, column }: Position, fault: string): CommandError {
  return new CommandError(
    "invalid_argument",
    `line ${line}, column ${column}: ${fault}. The file must be one JSON array of items, such as [{"petId":5,"quantity":10,"status":"available"}]`,
  );
}
