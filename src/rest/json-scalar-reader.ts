import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { type IntegerRange, integerRanges, rangeText } from "../call/integer-range.ts";
import { decodeBase64 } from "./base64.ts";
import { listForRequests, shortNames, wholeNames } from "./enum-names.ts";
import { exactInteger, toLocalInteger } from "./integer.ts";
import { InvalidInput } from "./invalid-input.ts";
import {
  isNumberStart,
  type JsonCursor,
  jsonChar,
  jsonNumberPattern,
  mismatch,
  nextChar,
  readNumber,
  readString,
  readWord,
} from "./json-cursor.ts";
import type { JsonDialect } from "./json-dialect.ts";
import { parseFloating } from "./scalar-text.ts";

/** Reads a value from a JSON text, into the form in which protobuf-es keeps it. */
export type ValueReader = (cursor: JsonCursor) => unknown;

/**
 * Makes the reader for a scalar type.
 *
 * @param longAsString as by the option jstype = JS_STRING
 * @param accepted the integers to name in an error; those of the type when absent
 */
export function scalarReader(
  scalar: ScalarType,
  longAsString: boolean,
  dialect: JsonDialect,
  accepted = integerRanges.get(scalar),
): ValueReader {
  const range = integerRanges.get(scalar);
  if (range && accepted) return integerReader(range, accepted, longAsString, dialect);
  switch (scalar) {
    case ScalarType.BOOL:
      return readBool;
    case ScalarType.BYTES:
      return (cursor) => decodeBase64(readText(cursor, "must be base64 in a string"));
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return floatingReader(scalar, dialect);
    default:
      return (cursor) => readText(cursor, "must be a string");
  }
}

/** Reads a string. @param reason what to say when something else is there */
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

/** Longest token that {@link Number} reads exactly, if it is digits only. */
const exactLength = 15;

function integerReader(
  range: IntegerRange,
  accepted: IntegerRange,
  longAsString: boolean,
  dialect: JsonDialect,
): ValueReader {
  const reason = `must be a JSON integer ${rangeText(accepted)}`;
  const min = Number(range.min);
  const max = Number(range.max);
  return (cursor) => {
    const token = readNumberToken(cursor, dialect, reason);
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

function readNumberToken(cursor: JsonCursor, dialect: JsonDialect, reason: string): string {
  const code = nextChar(cursor);
  if (isNumberStart(code)) return readNumber(cursor);
  if (code !== jsonChar.quote || !dialect.numbersInStrings) throw mismatch(cursor, reason);
  const token = readString(cursor);
  if (!jsonNumberPattern.test(token)) throw new InvalidInput(reason);
  return token;
}

function floatingReader(
  scalar: ScalarType.FLOAT | ScalarType.DOUBLE,
  dialect: JsonDialect,
): ValueReader {
  return (cursor) => {
    const code = nextChar(cursor);
    if (isNumberStart(code)) return parseFloating(readNumber(cursor), scalar);
    const text = readText(cursor, "must be a number");
    if (!dialect.numbersInStrings && !/^(NaN|-?Infinity)$/.test(text)) {
      throw new InvalidInput("must be a number, not a string");
    }
    return parseFloating(text, scalar);
  };
}

/** Makes the reader for an enum. */
export function enumReader(desc: DescEnum, dialect: JsonDialect): ValueReader {
  if (desc.typeName === "google.protobuf.NullValue") return nullReader(dialect);
  const names = dialect.shortEnumNames ? shortNames(desc) : wholeNames(desc);
  const { toNumber, toName } = names;
  const reason = `must be one of ${listForRequests(desc, names, '"')}`;
  const readNumeric = scalarReader(ScalarType.INT32, false, dialect);
  return (cursor) => {
    if (isNumberStart(nextChar(cursor)) && !dialect.shortEnumNames) {
      const number = readNumeric(cursor) as number;
      if (!desc.open && !toName.has(number)) throw new InvalidInput(reason);
      return number;
    }
    const number = toNumber.get(readText(cursor, reason));
    if (number === undefined) throw new InvalidInput(reason);
    return number;
  };
}

/**
 * Makes the reader for google.protobuf.NullValue: `null` or the name of its only value, which older
 * writers of ProtoJSON send. ProtoJSON also has its number.
 */
function nullReader(dialect: JsonDialect): ValueReader {
  return (cursor) => {
    const code = nextChar(cursor);
    if (code === jsonChar.quote) {
      if (readString(cursor) !== "NULL_VALUE") throw new InvalidInput("must be null");
    } else if (isNumberStart(code) && !dialect.shortEnumNames) {
      if (exactInteger(readNumber(cursor)) !== 0n) throw new InvalidInput("must be null");
    } else if (code === jsonChar.n) {
      readWord(cursor, "null");
    } else {
      throw mismatch(cursor, "must be null");
    }
    return 0;
  };
}
