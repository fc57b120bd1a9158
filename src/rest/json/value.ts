import { tooManyItems } from "../../call/list-limits.ts";
import { OutOfBounds, within } from "../../http/invalid-input.ts";
import { enter, goOn, type JsonCursor, jsonChar, readName } from "./cursor.ts";

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

/**
 * Reads an array whose opening bracket comes next.
 *
 * @param readElement reads one element
 * @param maxItems most elements to read; Infinity for any number
 * @throws OutOfBounds when there are more elements
 */
export function readElements(cursor: JsonCursor, readElement: () => void, maxItems: number): void {
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
