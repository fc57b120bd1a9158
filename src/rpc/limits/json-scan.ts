import type { DescMessage } from "@bufbuild/protobuf";
import { maskTooLong, tooManyItems } from "../../call/list-limits.ts";
import type { CheckMessage, Refuse } from "./binary-scan.ts";
import { hasInexactNumber } from "./exact-numbers.ts";
import { char, isDigit } from "./json-bytes.ts";
import { jsonLimitsOf, shortMessage } from "./message-size.ts";

/** The longest number in JSON, in digits. No protobuf type needs nearly as many. */
const longestNumber = 1_000;

/**
 * Makes the check of a message type in JSON. It finds lists that are too long, too many values, too many different
 * objects, numbers that would be rounded, and very long numbers, quoted or not. protobuf-es parses numbers as a BigInt,
 * in a time that grows faster than the number of digits. If the type has a google.protobuf.FieldMask, which is a string
 * in JSON, the check refuses every string that would be too long for one. A text that is not JSON passes: the parser
 * reports it.
 */
export function createJsonCheck(desc: DescMessage, refuse: Refuse): CheckMessage {
  const limits = jsonLimitsOf(desc);

  /**
   * @param start where the name of a member begins, with its opening quote
   * @param fault what is wrong with the member
   * @param unnamed what is wrong with the message, if the member has no plain name
   */
  function refuseMember(json: Uint8Array, start: number, fault: string, unnamed: string): Error {
    const name = /^"(\w{1,80})"/.exec(
      Buffer.from(json.subarray(start, start + 82)).toString(),
    )?.[1];
    return name === undefined ? refuse("", unnamed) : refuse(name, fault);
  }

  function checkLimits(json: Uint8Array): void {
    const noMembers = new Shape();
    let shapes = 0;
    /** Elements so far of each open array, and NaN for each open object. */
    const open: number[] = [];
    /** Where the name of each open array or object begins. */
    const names: number[] = [];
    /** The members so far of each open object. An array has none. */
    const shape: Shape[] = [];
    /** Where the last string begins, and how many paths it has as a FieldMask. An escape can be a comma. */
    let stringAt = 0;
    let stringEnd = 0;
    let paths = 0;
    /** Where the name of the last member begins. */
    let memberAt = 0;
    let values = 0;
    let digits = 0;
    let isInString = false;
    for (let at = 0; at < json.length; at++) {
      const byte = json[at] ?? 0;
      if (isDigit(byte)) {
        digits += 1;
        if (digits > longestNumber) {
          throw refuse("", `has a number with more than ${longestNumber} digits`);
        }
        continue;
      }
      digits = 0;
      if (isInString) {
        if (byte === char.quote) {
          isInString = false;
          stringEnd = at;
          if (at - stringAt > limits.string + 1) {
            throw refuseMember(json, memberAt, maskTooLong, "has a string that is too long");
          }
        } else if (byte === char.backslash || byte === char.comma) {
          if (byte === char.backslash) at += 1;
          paths += 1;
          if (paths > limits.paths) {
            const unnamed = `has a field mask with more than ${limits.paths} paths`;
            throw refuseMember(json, memberAt, tooManyItems(limits.paths), unnamed);
          }
        }
        continue;
      }
      switch (byte) {
        case char.quote:
          isInString = true;
          stringAt = at;
          paths = 1;
          continue;
        case char.colon: {
          memberAt = stringAt;
          const before = shape.pop() ?? noMembers;
          const known = before.find(json, stringAt, stringEnd);
          shape.push(known ?? before.add(json, stringAt, stringEnd));
          if (!known) shapes += 1;
          // Without a name, more colons are cheap.
          stringEnd = stringAt;
          if (shapes > limits.shapes) throw refuse("", tooManyShapes);
          continue;
        }
        case char.openBracket:
          open.push(1);
          shape.push(noMembers);
          names.push(memberAt);
          break;
        case char.openBrace:
          open.push(Number.NaN);
          shape.push(noMembers);
          names.push(memberAt);
          break;
        case char.comma: {
          const items = (open.pop() ?? Number.NaN) + 1;
          open.push(items);
          if (items > limits.items) {
            const unnamed = `has an array with more than ${limits.items} elements`;
            throw refuseMember(json, names.at(-1) ?? 0, tooManyItems(limits.items), unnamed);
          }
          break;
        }
        case char.closeBracket:
        case char.closeBrace:
          open.pop();
          names.pop();
          shape.pop();
          continue;
        default:
          continue;
      }
      values += 1;
      if (values > limits.values) throw refuse("", `must have at most ${limits.values} values`);
    }
  }

  return (json) => {
    if (json.length > shortMessage) checkLimits(json);
    // A message within the limits has few numbers.
    if (hasInexactNumber(json)) throw refuse("", inexactNumber);
  };
}

const inexactNumber =
  "has a number that would be rounded: send integers without a fraction, and those beyond 9007199254740991 as a string";

const tooManyShapes =
  "has too many objects with different members, or with members in a different order";

/** A sequence of names that objects begin with. V8 makes a hidden class for each, in about 1 µs. */
class Shape {
  readonly #longer = new Map<string, Shape>();
  /** Where the name is that follows in the last object with this sequence, and the sequence with it. */
  #start = 0;
  #end = 0;
  #next: Shape | undefined;

  /** Returns the sequence with one more name; undefined if it is new. */
  find(json: Uint8Array, start: number, end: number): Shape | undefined {
    if (this.#isNext(json, start, end)) return this.#next;
    const found = this.#longer.get(textOf(json, start, end));
    if (found) this.#setNext(found, start, end);
    return found;
  }

  /** Adds the sequence with one more name. */
  add(json: Uint8Array, start: number, end: number): Shape {
    const added = new Shape();
    this.#longer.set(textOf(json, start, end), added);
    this.#setNext(added, start, end);
    return added;
  }

  #isNext(json: Uint8Array, start: number, end: number): boolean {
    if (end - start !== this.#end - this.#start) return false;
    for (let at = start, to = this.#start; at < end; at++, to++) {
      if (json[at] !== json[to]) return false;
    }
    return true;
  }

  #setNext(next: Shape, start: number, end: number): void {
    this.#next = next;
    this.#start = start;
    this.#end = end;
  }
}

function textOf(json: Uint8Array, start: number, end: number): string {
  return Buffer.from(json.buffer, json.byteOffset + start, end - start).toString("latin1");
}
