import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { encodeBase64 } from "./base64.ts";
import { shortNames, wholeNames } from "./enum-names.ts";
import { integerRanges } from "./integer.ts";
import type { JsonDialect } from "./json-dialect.ts";

/** Writes a value, in the form in which protobuf-es keeps it, as JSON text. */
export type ValueWriter = (value: unknown) => string;

/**
 * Makes the writer for a scalar type. What it throws means that a service has put a value into a field
 * that can't be there.
 */
export function scalarWriter(scalar: ScalarType, dialect: JsonDialect): ValueWriter {
  const range = integerRanges.get(scalar);
  if (range?.wide) return dialect.numbersInStrings ? writeQuotedWide : writeWide;
  if (range) return writeInteger;
  switch (scalar) {
    case ScalarType.BYTES:
      return (value) => `"${encodeBase64(value as Uint8Array)}"`;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return writeFloating;
    default:
      return JSON.stringify;
  }
}

/** Base64 and decimals of 64 bits, by option also kept as strings (jstype = JS_STRING). */
function writeWide(value: unknown): string {
  return typeof value === "bigint" ? value.toString() : BigInt(value as string | number).toString();
}

function writeQuotedWide(value: unknown): string {
  return `"${writeWide(value)}"`;
}

function writeInteger(value: unknown): string {
  if (!Number.isInteger(value)) throw new TypeError(`${String(value)} is not an integer`);
  return `${value}`;
}

function writeFloating(value: unknown): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : `${value}`;
  if (typeof value !== "number") throw new TypeError(`${String(value)} is not a number`);
  return `"${value}"`;
}

/** Makes the writer for an enum. A value without a name is written as its number. */
export function enumWriter(desc: DescEnum, dialect: JsonDialect): ValueWriter {
  if (desc.typeName === "google.protobuf.NullValue") return () => "null";
  const { toName } = dialect.shortEnumNames ? shortNames(desc) : wholeNames(desc);
  const texts = new Map<unknown, string>();
  for (const [number, name] of toName) texts.set(number, JSON.stringify(name));
  return (value) => texts.get(value) ?? writeInteger(value);
}
