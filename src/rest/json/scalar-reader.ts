import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { type IntegerRange, integerRanges, rangeText } from "../../call/integer-range.ts";
import { InvalidInput } from "../../http/invalid-input.ts";
import type { Annotations } from "../annotations.ts";
import { decodeBase64 } from "../binding/base64.ts";
import { listForRequests, shortNames } from "../binding/enum-names.ts";
import { exactInteger, toLocalInteger } from "../binding/integer.ts";
import { parseFloating } from "../binding/scalar-text.ts";
import {
  isNumberStart,
  type JsonCursor,
  jsonChar,
  mismatch,
  nextChar,
  readNumber,
  readString,
  readWord,
} from "./cursor.ts";

/** Reads a value from a JSON text. Returns the type that protobuf-es uses for it. */
export type ValueReader = (cursor: JsonCursor) => unknown;

/**
 * Returns the reader for a scalar type.
 *
 * @param longAsString whether the field has the option jstype = JS_STRING
 * @param accepted the range of integers to name in an error; defaults to the range of the type
 */
export function scalarReader(
  scalar: ScalarType,
  longAsString: boolean,
  accepted = integerRanges.get(scalar),
): ValueReader {
  const range = integerRanges.get(scalar);
  if (range && accepted) return integerReader(range, accepted, longAsString);
  switch (scalar) {
    case ScalarType.BOOL:
      return readBool;
    case ScalarType.BYTES:
      return (cursor) => decodeBase64(readText(cursor, "must be base64 in a string"));
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return floatingReader(scalar);
    default:
      return (cursor) => readText(cursor, "must be a string");
  }
}

/** Reads a string. @param reason message of the error for a value of another type */
export function readText(cursor: JsonCursor, reason: string): string {
  if (nextChar(cursor) !== jsonChar.quote) throw mismatch(cursor, reason);
  return readString(cursor);
}

function readBool(cursor: JsonCursor): boolean {
  const code = nextChar(cursor);
  if (code !== jsonChar.t && code !== jsonChar.f) throw mismatch(cursor, "must be true or false");
  const value = code === jsonChar.t;
  readWord(cursor, value ? "true" : "false");
  return value;
}

/** Length of the longest integers that {@link Number} always reads exactly. */
const exactLength = 15;

function integerReader(
  range: IntegerRange,
  accepted: IntegerRange,
  longAsString: boolean,
): ValueReader {
  const reason = `must be a JSON integer ${rangeText(accepted)}`;
  const min = Number(range.min);
  const max = Number(range.max);
  return (cursor) => {
    if (!isNumberStart(nextChar(cursor))) throw mismatch(cursor, reason);
    const token = readNumber(cursor);
    if (!range.wide && token.length <= exactLength && /^-?\d+$/.test(token)) {
      // `+ 0` turns -0 into 0.
      const small = Number(token) + 0;
      if (small >= min && small <= max) return small;
    }
    const exact = exactInteger(token);
    const value = exact === undefined ? exact : toLocalInteger(exact, range, longAsString);
    if (value === undefined) throw new InvalidInput(reason);
    return value;
  };
}

function floatingReader(scalar: ScalarType.FLOAT | ScalarType.DOUBLE): ValueReader {
  return (cursor) => {
    const code = nextChar(cursor);
    if (isNumberStart(code)) return parseFloating(readNumber(cursor), scalar);
    const text = readText(cursor, "must be a number");
    if (!/^(NaN|-?Infinity)$/.test(text)) {
      throw new InvalidInput("must be a number, not a string");
    }
    return parseFloating(text, scalar);
  };
}

/** Returns the reader for an enum. */
export function enumReader(desc: DescEnum, annotations: Annotations): ValueReader {
  const names = shortNames(desc);
  const reason = `must be one of ${listForRequests(desc, names, annotations, '"')}`;
  return (cursor) => {
    const number = names.toNumber.get(readText(cursor, reason));
    if (number === undefined) throw new InvalidInput(reason);
    return number;
  };
}
