import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { type IntegerRange, integerRanges } from "../call/integer-range.ts";
import { encodeBase64 } from "./base64.ts";
import { shortNames, wholeNames } from "./enum-names.ts";
import type { JsonDialect } from "./json-dialect.ts";

/** Writes a value, in the form in which protobuf-es keeps it, as JSON text. */
export type ValueWriter = (value: unknown) => string;

/**
 * Makes the writer for a scalar type. What it throws means that a service has put a value into a field
 * that can't be there.
 */
export function scalarWriter(scalar: ScalarType, dialect: JsonDialect): ValueWriter {
  const range = integerRanges.get(scalar);
  if (range) return integerWriter(range, dialect);
  switch (scalar) {
    case ScalarType.BYTES:
      return (value) => `"${encodeBase64(value as Uint8Array)}"`;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return writeFloating;
    case ScalarType.BOOL:
      return writeBool;
    default:
      return writeString;
  }
}

function integerWriter(range: IntegerRange, dialect: JsonDialect): ValueWriter {
  if (!range.wide) return smallIntegerWriter(Number(range.min), Number(range.max));
  const mark = dialect.numbersInStrings ? '"' : "";
  return (value) => {
    // By the option jstype = JS_STRING it is a string.
    const integer = typeof value === "bigint" ? value : BigInt(value as string | number);
    if (integer < range.min || integer > range.max) throw outOfPlace(value);
    return mark + integer.toString() + mark;
  };
}

function smallIntegerWriter(min: number, max: number): ValueWriter {
  return (value) => {
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
      throw outOfPlace(value);
    }
    return `${value}`;
  };
}

function writeBool(value: unknown): string {
  if (typeof value !== "boolean") throw outOfPlace(value);
  return value ? "true" : "false";
}

function writeString(value: unknown): string {
  if (typeof value !== "string") throw outOfPlace(value);
  return JSON.stringify(value);
}

function outOfPlace(value: unknown): TypeError {
  return new TypeError(`a field can't hold ${String(value)}`);
}

function writeFloating(value: unknown): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : `${value}`;
  if (typeof value !== "number") throw outOfPlace(value);
  return `"${value}"`;
}

/** Makes the writer for an enum. A value without a name is written as its number. */
export function enumWriter(desc: DescEnum, dialect: JsonDialect): ValueWriter {
  if (desc.typeName === "google.protobuf.NullValue") return () => "null";
  const { toName } = dialect.shortEnumNames ? shortNames(desc) : wholeNames(desc);
  const texts = new Map<unknown, string>();
  for (const [number, name] of toName) texts.set(number, JSON.stringify(name));
  const writeNumber = scalarWriter(ScalarType.INT32, dialect);
  return (value) => texts.get(value) ?? writeNumber(value);
}
