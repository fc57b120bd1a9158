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
      return readList(cursor, readJsonValue);
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
  return readMap(cursor, readJsonValue) as JsonObject;
}

/**
 * Reads an object whose members are of one type.
 *
 * @param checkKey throws an InvalidInput for an invalid name
 * @throws OutOfBounds when it has more than `maxItems` members; InvalidInput for a duplicate, or when another value comes next
 */
export function readMap(
  cursor: JsonCursor,
  readValue: (cursor: JsonCursor) => unknown,
  maxItems = Number.POSITIVE_INFINITY,
  checkKey?: (name: string) => unknown,
): Record<string, unknown> {
  const map: Record<string, unknown> = {};
  let count = 0;
  readMembers(cursor, (name) => {
    if (++count > maxItems) throw new OutOfBounds(tooManyItems(maxItems));
    checkKey?.(name);
    if (Object.hasOwn(map, name)) throw new InvalidInput("is given twice; send it once");
    setOwn(map, name, readValue(cursor));
  });
  return map;
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

/** Reads an array. @throws OutOfBounds when it has more than `maxItems` elements; InvalidInput when another value comes next */
export function readList<T>(
  cursor: JsonCursor,
  readElement: (cursor: JsonCursor) => T,
  maxItems = Number.POSITIVE_INFINITY,
): T[] {
  if (nextChar(cursor) !== jsonChar.openBracket) throw mismatch(cursor, "must be a JSON array");
  const list: T[] = [];
  let isLonger = enter(cursor, jsonChar.closeBracket);
  try {
    while (isLonger && list.length < maxItems) {
      list.push(readElement(cursor));
      isLonger = goOn(cursor, jsonChar.closeBracket);
    }
  } catch (error) {
    throw within(`[${list.length}]`, error);
  }
  if (isLonger) throw new OutOfBounds(tooManyItems(maxItems));
  return list;
}

/** Sets a member of an object. The name `__proto__` sets a member too, not the prototype. */
function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
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
