import { isUtf8 } from "node:buffer";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { tooManyItems } from "../../call/annotations.ts";
import { quote } from "../../call/quote.ts";
import { InvalidInput, MalformedJson, OutOfBounds, within } from "../../http/invalid-input.ts";

/** A position in a JSON text (RFC 8259). */
export interface JsonCursor {
  readonly text: string;
  /** Index into the text, in UTF-16 code units. */
  at: number;
  /** Number of objects and arrays that contain the position. */
  depth: number;
  /** Number of values that may still be skipped. */
  spare: number;
  /** Values that other parts of the request have set, by the index that readers know. */
  readonly bound: readonly unknown[];
}

/** The maximum nesting of objects and arrays, far more than any API needs. */
export const maxJsonDepth = 32;

/** Maximum number of values in the unknown members of a text. Skipping so many takes less than a millisecond. */
const maxSkipped = 5_000;

/** Starts reading a JSON text, after a byte order mark (RFC 8259, section 8.1). @throws InvalidInput unless it is valid Unicode */
export function startJson(json: string | Uint8Array, bound: readonly unknown[] = []): JsonCursor {
  let text: string;
  if (typeof json === "string") {
    if (!json.isWellFormed()) {
      throw new InvalidInput("must be valid Unicode, without lone surrogates");
    }
    text = json;
  } else {
    if (!isUtf8(json)) throw new InvalidInput("must be UTF-8");
    text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString("utf8");
  }
  return { text, at: text.charCodeAt(0) === 0xfeff ? 1 : 0, depth: 0, spare: maxSkipped, bound };
}

export function endJson(cursor: JsonCursor): void {
  if (nextChar(cursor) !== "") throw malformed(cursor, "the end");
}

/** Skips white space and returns the next character; "" at the end. */
export function nextChar(cursor: JsonCursor): string {
  const { text } = cursor;
  let char = text.charAt(cursor.at);
  while (char === " " || char === "\n" || char === "\r" || char === "\t") {
    char = text.charAt(++cursor.at);
  }
  return char;
}

/** Enters an object or array at its opening character. @returns false when it is empty: then the cursor is behind it */
export function enter(cursor: JsonCursor, close: string): boolean {
  cursor.at++;
  if (++cursor.depth > maxJsonDepth) {
    throw new InvalidInput(`must have at most ${maxJsonDepth} levels of nesting`);
  }
  return nextChar(cursor) !== close || leave(cursor);
}

/** Continues after a member or element. @returns whether another one follows; if not, the cursor is behind `close` */
export function goOn(cursor: JsonCursor, close: string): boolean {
  const char = nextChar(cursor);
  if (char === ",") {
    cursor.at++;
    return true;
  }
  if (char === close) return leave(cursor);
  throw malformed(cursor, `"," or "${close}"`);
}

function leave(cursor: JsonCursor): false {
  cursor.at++;
  cursor.depth--;
  return false;
}

export function readName(cursor: JsonCursor): string {
  if (nextChar(cursor) !== '"') throw malformed(cursor, "a member name in quotes");
  const name = readString(cursor);
  if (nextChar(cursor) !== ":") throw malformed(cursor, `":"`);
  cursor.at++;
  return name;
}

/** Reads a string whose opening quote comes next. */
export function readString(cursor: JsonCursor): string {
  const { text } = cursor;
  const start = cursor.at + 1;
  let at = start;
  while (text.charCodeAt(at) >= 0x20 && text[at] !== '"' && text[at] !== "\\") at++;
  if (text[at] === "\\") return readEscapedString(cursor);
  cursor.at = at;
  if (text[at] !== '"') {
    throw malformed(cursor, "the rest of a string (control characters must be escaped)");
  }
  cursor.at++;
  return text.slice(start, at);
}

function readEscapedString(cursor: JsonCursor): string {
  const { text } = cursor;
  let end = cursor.at + 1;
  for (let char = " "; char !== '"'; end++) {
    char = text.charAt(end);
    if (char === "\\") end++;
    if (char === "") throw malformed(cursor, "a terminated string");
  }
  let value: string;
  try {
    value = JSON.parse(text.slice(cursor.at, end));
  } catch {
    throw malformed(cursor, "a string with valid escapes and no control characters");
  }
  if (!value.isWellFormed()) {
    throw new InvalidInput("must be valid Unicode, without lone surrogates");
  }
  cursor.at = end;
  return value;
}

export const jsonNumberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

export function readNumber(cursor: JsonCursor): string {
  numberToken.lastIndex = cursor.at;
  if (!numberToken.test(cursor.text)) throw malformed(cursor, "a number");
  const token = cursor.text.slice(cursor.at, numberToken.lastIndex);
  cursor.at = numberToken.lastIndex;
  return token;
}

export function isNumberStart(char: string): boolean {
  return char === "-" || (char >= "0" && char <= "9");
}

export function readBool(cursor: JsonCursor): boolean {
  const char = nextChar(cursor);
  if (char !== "t" && char !== "f") throw mismatch(cursor, "must be true or false");
  readWord(cursor, char === "t" ? "true" : "false");
  return char === "t";
}

export function readWord(cursor: JsonCursor, word: "true" | "false" | "null"): void {
  if (!cursor.text.startsWith(word, cursor.at)) throw malformed(cursor, "a value");
  cursor.at += word.length;
}

/** Returns the error for a value of the wrong type, or for a missing value. */
export function mismatch(cursor: JsonCursor, reason: string): InvalidInput {
  return /["[{tfn\-0-9]/.test(nextChar(cursor))
    ? new InvalidInput(reason)
    : malformed(cursor, "a value");
}

/** Returns the error for a text that is not JSON at the cursor. */
function malformed({ text, at }: JsonCursor, expected: string): MalformedJson {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const column = at - before.lastIndexOf("\n");
  const [char] = text.slice(at, at + 2);
  const found = char === undefined ? "the end" : quote(char);
  const isAfterComma = (char === "}" || char === "]") && before.trimEnd().endsWith(",");
  const advice = isAfterComma ? ": remove the comma before it" : "";
  return new MalformedJson(
    `not valid JSON: expected ${expected}, found ${found} at line ${line}, column ${column}${advice}`,
  );
}

/**
 * Makes the readers of any JSON value, object and array, such as those of google.protobuf.Value. Numbers become doubles. The
 * readers throw an InvalidInput for text that is not JSON, another value, a duplicate member, or a number outside the range of
 * a double, and an OutOfBounds for too many members or elements.
 */
export function jsonValueReaders(maxMembers?: number, maxElements?: number) {
  function object(cursor: JsonCursor): JsonObject {
    return readMap(cursor, value, maxMembers) as JsonObject;
  }
  function list(cursor: JsonCursor): JsonValue[] {
    return readList(cursor, value, maxElements);
  }
  function value(cursor: JsonCursor): JsonValue {
    const char = nextChar(cursor);
    if (isNumberStart(char)) return readDouble(cursor);
    switch (char) {
      case '"':
        return readString(cursor);
      case "{":
        return object(cursor);
      case "[":
        return list(cursor);
      case "t":
      case "f":
        return readBool(cursor);
      case "n":
        readWord(cursor, "null");
        return null;
      default:
        throw malformed(cursor, "a value");
    }
  }
  return { object, list, value };
}

export const { object: readObject, value: readJsonValue } = jsonValueReaders();

/** Skips any JSON value. @throws InvalidInput for text that is not JSON, or too many values in the whole text */
export function skipJsonValue(cursor: JsonCursor): void {
  if (--cursor.spare < 0) {
    throw new InvalidInput(`must have at most ${maxSkipped} values in unknown fields`);
  }
  const char = nextChar(cursor);
  if (isNumberStart(char)) readNumber(cursor);
  else if (char !== "{" && char !== "[") readJsonValue(cursor);
  else {
    const isObject = char === "{";
    const close = isObject ? "}" : "]";
    if (!enter(cursor, close)) return;
    do {
      if (isObject) readName(cursor);
      skipJsonValue(cursor);
    } while (goOn(cursor, close));
  }
}

function readDouble(cursor: JsonCursor): number {
  const value = Number(readNumber(cursor));
  if (Number.isFinite(value)) return value;
  throw new InvalidInput("must be in the range of a 64-bit floating-point number");
}

/** Reads an object with members of one type. @param checkKey throws for an invalid name @throws OutOfBounds; InvalidInput */
export function readMap(
  cursor: JsonCursor,
  readValue: (cursor: JsonCursor) => unknown,
  maxItems = Number.POSITIVE_INFINITY,
  checkKey?: (name: string) => unknown,
): Record<string, unknown> {
  // Not an object yet: its member `__proto__` would be the prototype.
  const map = new Map<string, unknown>();
  readMembers(cursor, (name) => {
    if (map.size >= maxItems) throw new OutOfBounds(tooManyItems(maxItems));
    checkKey?.(name);
    if (map.has(name)) throw new InvalidInput("is given twice; send it once");
    map.set(name, readValue(cursor));
  });
  return Object.fromEntries(map);
}

/** Reads an object. @param readMember reads one member's value. @throws InvalidInput when another value comes next */
export function readMembers(cursor: JsonCursor, readMember: (name: string) => void): void {
  if (nextChar(cursor) !== "{") throw mismatch(cursor, "must be a JSON object");
  let name = "";
  if (!enter(cursor, "}")) return;
  try {
    do {
      name = readName(cursor);
      readMember(name);
      name = "";
    } while (goOn(cursor, "}"));
  } catch (error) {
    throw within(name, error);
  }
}

/** Reads an array. @throws OutOfBounds when it has more than `maxItems` elements; InvalidInput when another value comes next */
export function readList<T>(
  cursor: JsonCursor,
  readElement: (cursor: JsonCursor) => T,
  maxItems = Number.POSITIVE_INFINITY,
): T[] {
  if (nextChar(cursor) !== "[") throw mismatch(cursor, "must be a JSON array");
  const list: T[] = [];
  let isLonger = enter(cursor, "]");
  try {
    while (isLonger && list.length < maxItems) {
      list.push(readElement(cursor));
      isLonger = goOn(cursor, "]");
    }
  } catch (error) {
    throw within(`[${list.length}]`, error);
  }
  if (isLonger) throw new OutOfBounds(tooManyItems(maxItems));
  return list;
}
