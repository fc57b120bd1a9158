import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { InvalidInput, within } from "./invalid-input.ts";
import {
  enter,
  goOn,
  isNumberStart,
  type JsonCursor,
  jsonChar,
  malformed,
  nextChar,
  readName,
  readNumber,
  readString,
  readWord,
} from "./json-cursor.ts";

/**
 * Reads any JSON value. Numbers are doubles: this is for values that have no other type, as those of
 * google.protobuf.Value.
 *
 * @throws InvalidInput also for a member that is there twice and a number no double can hold
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

function readDouble(cursor: JsonCursor): number {
  const value = Number(readNumber(cursor));
  if (!Number.isFinite(value)) throw new InvalidInput("is out of range");
  return value;
}

function readObject(cursor: JsonCursor): JsonObject {
  const object: JsonObject = {};
  readMembers(cursor, (name) => {
    if (Object.hasOwn(object, name)) throw new InvalidInput("given twice");
    setOwn(object, name, readJsonValue(cursor));
  });
  return object;
}

/**
 * Reads an object whose opening brace comes next.
 *
 * @param readMember reads one member's value
 */
export function readMembers(cursor: JsonCursor, readMember: (name: string) => void): void {
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

function readArray(cursor: JsonCursor): JsonValue[] {
  const array: JsonValue[] = [];
  readElements(cursor, () => array.push(readJsonValue(cursor)));
  return array;
}

/**
 * Reads an array whose opening bracket comes next.
 *
 * @param readElement reads one element
 */
export function readElements(cursor: JsonCursor, readElement: () => void): void {
  let index = 0;
  if (!enter(cursor, jsonChar.closeBracket)) return;
  try {
    do {
      readElement();
      index++;
    } while (goOn(cursor, jsonChar.closeBracket));
  } catch (error) {
    throw within(`[${index}]`, error);
  }
}

/** Sets a member of an object, `__proto__` being as good a name as any. */
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
