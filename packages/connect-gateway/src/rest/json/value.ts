import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { tooManyItems } from "../../call/list-limits.ts";
import { InvalidInput, OutOfBounds, within } from "../../http/invalid-input.ts";
import {
  enter,
  goOn,
  isNumberStart,
  type JsonCursor,
  jsonChar,
  malformed,
  maxSkipped,
  mismatch,
  nextChar,
  readName,
  readNumber,
  readString,
  readWord,
} from "./cursor.ts";

/**
 * Reads any JSON value, such as one of google.protobuf.Value. Numbers become doubles.
 *
 * @throws InvalidInput for text that is not JSON, a duplicate member, or a number outside the range of a double
 */
export function readJsonValue(cursor: JsonCursor): JsonValue {
  const code = nextChar(cursor);
  if (isNumberStart(code)) return readDouble(cursor);
  switch (code) {
    case jsonChar.quote:
      return readString(cursor);
    case jsonChar.openBrace:
      return readObject(cursor);
    case jsonChar.openBracket:
      return readArray(cursor);
    case jsonChar.t:
      readWord(cursor, "true");
      return true;
    case jsonChar.f:
      readWord(cursor, "false");
      return false;
    case jsonChar.n:
      readWord(cursor, "null");
      return null;
    default:
      throw malformed(cursor, "a value");
  }
}

/** Skips any JSON value. @throws InvalidInput for text that is not JSON, or too many values in the whole text */
export function skipJsonValue(cursor: JsonCursor): void {
  if (--cursor.spare < 0) {
    throw new InvalidInput(`must have at most ${maxSkipped} values in unknown fields`);
  }
  const code = nextChar(cursor);
  if (isNumberStart(code)) readNumber(cursor);
  else if (code !== jsonChar.openBrace && code !== jsonChar.openBracket) readJsonValue(cursor);
  else {
    const isObject = code === jsonChar.openBrace;
    const close = isObject ? jsonChar.closeBrace : jsonChar.closeBracket;
    if (!enter(cursor, close)) return;
    do {
      if (isObject) readName(cursor);
      skipJsonValue(cursor);
    } while (goOn(cursor, close));
  }
}

function readDouble(cursor: JsonCursor): number {
  const value = Number(readNumber(cursor));
  if (!Number.isFinite(value))
    throw new InvalidInput("must be in the range of a 64-bit floating-point number");
  return value;
}

/** Reads any JSON object. @throws InvalidInput like {@link readJsonValue}, or for another value */
export function readObject(cursor: JsonCursor): JsonObject {
  const object: JsonObject = {};
  readMembers(cursor, (name) => {
    if (Object.hasOwn(object, name)) throw new InvalidInput("is given twice; send it once");
    setOwn(object, name, readJsonValue(cursor));
  });
  return object;
}

/** Reads an object. @param readMember reads one member's value. @throws InvalidInput when another value comes next */
export function readMembers(cursor: JsonCursor, readMember: (name: string) => void): void {
  if (nextChar(cursor) !== jsonChar.openBrace) throw mismatch(cursor, "must be a JSON object");
  let name = "";
  if (!enter(cursor, jsonChar.closeBrace)) return;
  try {
    do {
      name = readName(cursor);
      readMember(name);
      name = "";
    } while (goOn(cursor, jsonChar.closeBrace));
  } catch (error) {
    throw within(name, error);
  }
}

/** Reads any JSON array. @throws InvalidInput like {@link readJsonValue}, or for another value */
export function readArray(cursor: JsonCursor): JsonValue[] {
  const array: JsonValue[] = [];
  readElements(cursor, () => array.push(readJsonValue(cursor)));
  return array;
}

/** Reads an array. @throws OutOfBounds when it has more than `maxItems` elements; InvalidInput when another value comes next */
export function readElements(
  cursor: JsonCursor,
  readElement: () => void,
  maxItems = Number.POSITIVE_INFINITY,
): void {
  if (nextChar(cursor) !== jsonChar.openBracket) throw mismatch(cursor, "must be a JSON array");
  let index = 0;
  let isLonger = false;
  if (!enter(cursor, jsonChar.closeBracket)) return;
  try {
    do {
      readElement();
      index++;
      isLonger = goOn(cursor, jsonChar.closeBracket);
    } while (isLonger && index < maxItems);
  } catch (error) {
    throw within(`[${index}]`, error);
  }
  if (isLonger) throw new OutOfBounds(tooManyItems(maxItems));
}

/** Sets a member of an object. The name `__proto__` sets a member too, not the prototype. */
export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else {
    object[name] = value;
  }
}
