import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { integerRanges, rangeText } from "../../call/annotations.ts";
import { abridge, quote } from "../../call/quote.ts";
import { InvalidInput } from "../../http/invalid-input.ts";
import { enumNames, listForRequests } from "../binding/enum-names.ts";
import {
  decodeBase64,
  integerConversion,
  parseFloating,
  type Scalar,
} from "../binding/scalar-text.ts";
import {
  isNumberStart,
  type JsonCursor,
  jsonNumberPattern,
  mismatch,
  nextChar,
  readBool,
  readJsonValue,
  readNumber,
  readString,
} from "./cursor.ts";
import type { JsonStyle } from "./style.ts";

/** Reads a value from a JSON text. Returns the type that protobuf-es uses for it. */
export type ValueReader = (cursor: JsonCursor) => unknown;

/** Returns the reader for a scalar. @param accepted the integers to name in an error; by default, all of the type */
export function scalarReader(
  field: Scalar,
  style: JsonStyle,
  accepted = integerRanges.get(field.scalar),
): ValueReader {
  if (accepted) {
    const reason = `must be ${style.numbersInStrings ? "an" : "a JSON"} integer ${rangeText(accepted)}`;
    const convert = integerConversion(field, reason);
    return (cursor) => convert(exactInteger(readNumberToken(cursor, style, reason)));
  }
  const { scalar } = field;
  switch (scalar) {
    case ScalarType.BOOL:
      return readBool;
    case ScalarType.BYTES:
      return (cursor) => decodeBase64(readText(cursor, "must be base64 in a string"));
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return floatingReader(scalar, style);
    default:
      return (cursor) => readText(cursor, "must be a string");
  }
}

/** Reads a string. @param reason message of the error for a value of another type */
export function readText(cursor: JsonCursor, reason: string): string {
  if (nextChar(cursor) !== '"') throw mismatch(cursor, reason);
  return readString(cursor);
}

const tooManyDigits = 24;

/** Returns the exact integer that `5`, `5.0` or `50e-1` is; undefined for a fraction, or for more digits than any type has. */
function exactInteger(token: string): bigint | undefined {
  if (!/[.eE]/.test(token)) return token.length > tooManyDigits ? undefined : BigInt(token);
  const [mantissa = "", exponent = "0"] = token.split(/[eE]/);
  const [whole = "", decimals = ""] = mantissa.split(".");
  const digits = (whole + decimals).replace(/^(-?)0+/, "$1");
  // Not `/0+$/`: that takes time quadratic in the length, because it starts again at every zero.
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  if (end === 0 || digits[end - 1] === "-") return 0n;
  const zeros = Number(exponent) - decimals.length + digits.length - end;
  if (zeros < 0 || end + zeros > tooManyDigits) return undefined;
  return BigInt(digits.slice(0, end)) * 10n ** BigInt(zeros);
}

function readNumberToken(cursor: JsonCursor, style: JsonStyle, reason: string): string {
  const char = nextChar(cursor);
  if (isNumberStart(char)) return readNumber(cursor);
  if (char !== '"' || !style.numbersInStrings) throw mismatch(cursor, reason);
  const token = readString(cursor);
  if (!jsonNumberPattern.test(token)) throw new InvalidInput(reason);
  return token;
}

function floatingReader(
  scalar: ScalarType.FLOAT | ScalarType.DOUBLE,
  style: JsonStyle,
): ValueReader {
  return (cursor) => {
    const char = nextChar(cursor);
    if (isNumberStart(char)) return parseFloating(readNumber(cursor), scalar);
    const text = readText(cursor, "must be a number");
    if (!style.numbersInStrings && !/^(NaN|-?Infinity)$/.test(text)) {
      throw new InvalidInput("must be a number, not a string");
    }
    return parseFloating(text, scalar);
  };
}

export function enumReader(desc: DescEnum, style: JsonStyle): ValueReader {
  if (desc.typeName === "google.protobuf.NullValue") return nullReader(style);
  const { toNumber, toName } = enumNames(desc, style);
  const reason = `must be one of ${listForRequests(desc, style, '"')}`;
  const isNumber = (number: bigint | undefined) =>
    number !== undefined &&
    (desc.open ? BigInt.asIntN(32, number) === number : toName.has(Number(number)));
  return (cursor) => {
    if (isNumberStart(nextChar(cursor)) && !style.shortEnumNames) {
      const token = readNumber(cursor);
      const number = exactInteger(token);
      if (isNumber(number)) return Number(number);
      throw new InvalidInput(`has no value ${abridge(token)}: ${reason}`);
    }
    const name = readText(cursor, reason);
    const number = toNumber.get(name);
    if (number !== undefined) return number;
    throw new InvalidInput(`has no value ${quote(name)}: ${reason}`);
  };
}

/** Accepts `null` and `"NULL_VALUE"`, which older ProtoJSON writers send. Styles with full enum names accept `0` too. */
function nullReader({ shortEnumNames }: JsonStyle): ValueReader {
  return (cursor) => {
    const value = readJsonValue(cursor);
    if (value === null || value === "NULL_VALUE" || (value === 0 && !shortEnumNames)) return 0;
    throw new InvalidInput("must be null");
  };
}
