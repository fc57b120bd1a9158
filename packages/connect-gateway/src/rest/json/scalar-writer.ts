import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { type IntegerRange, integerRanges } from "../../call/integer-range.ts";
import { encodeBase64 } from "../binding/base64.ts";
import { shortNames, wholeNames } from "../binding/enum-names.ts";
import type { JsonStyle } from "./style.ts";

/** Returns the JSON text of a value. The value has the type that protobuf-es uses for it. */
export type ValueWriter = (value: unknown) => string;

/**
 * Returns the writer for a scalar type. It throws a TypeError for a value that the type does not allow, which is a bug of
 * the service.
 */
export function scalarWriter(scalar: ScalarType, style: JsonStyle): ValueWriter {
  const range = integerRanges.get(scalar);
  if (range) return integerWriter(range, style);
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

function integerWriter(range: IntegerRange, style: JsonStyle): ValueWriter {
  const min = Number(range.min);
  const max = Number(range.max);
  if (!range.wide) {
    return (value) => {
      if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
        throw invalidValue(value);
      }
      return `${value}`;
    };
  }
  const mark = style.numbersInStrings ? '"' : "";
  return (value) => {
    // With the option jstype = JS_STRING the value is a string.
    const integer = typeof value === "bigint" ? value : BigInt(value as string | number);
    if (integer < range.min || integer > range.max) throw invalidValue(value);
    return mark + integer.toString() + mark;
  };
}

function writeBool(value: unknown): string {
  if (typeof value !== "boolean") throw invalidValue(value);
  return value ? "true" : "false";
}

function writeString(value: unknown): string {
  if (typeof value !== "string") throw invalidValue(value);
  return JSON.stringify(value);
}

function invalidValue(value: unknown): TypeError {
  return new TypeError(`its value is ${String(value)}`);
}

function writeFloating(value: unknown): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : `${value}`;
  if (typeof value !== "number") throw invalidValue(value);
  return `"${value}"`;
}

/** Returns the writer for an enum. A value without a name is written as its number. */
export function enumWriter(desc: DescEnum, style: JsonStyle): ValueWriter {
  if (desc.typeName === "google.protobuf.NullValue") return () => "null";
  const { toName } = style.shortEnumNames ? shortNames(desc) : wholeNames(desc);
  const texts = new Map<unknown, string>();
  for (const [number, name] of toName) texts.set(number, JSON.stringify(name));
  const writeNumber = scalarWriter(ScalarType.INT32, style);
  return (value) => texts.get(value) ?? writeNumber(value);
}
