import { type DescEnum, type DescField, ScalarType } from "@bufbuild/protobuf";
import {
  acceptedIntegers,
  type IntegerRange,
  integerRanges,
  rangeText,
} from "../../call/annotations.ts";
import { quote } from "../../call/quote.ts";
import { InvalidInput } from "../../http/invalid-input.ts";
import { jsonNumberPattern } from "../json/cursor.ts";
import type { JsonStyle } from "../json/style.ts";
import { enumNames, listForRequests, unspecifiedNumber, wholeNames } from "./enum-names.ts";
import { createMessage, holdsBareValue, wrappedField } from "./message-field.ts";
import { parseForm, textForms } from "./text-forms.ts";

/** Converts a decoded value of a path or query to the type of protobuf-es. @throws InvalidInput that describes a valid text */
export type TextParser = (text: string) => unknown;

/**
 * Compiles the parser for the value of a field, or for one element of a repeated field.
 *
 * @returns undefined when values of the field have no text form: maps, and messages except wrappers, Timestamp, Duration and
 * FieldMask
 */
export function textParser(field: DescField, style: JsonStyle): TextParser | undefined {
  if (field.fieldKind === "map") return undefined;
  if (field.scalar !== undefined) {
    return scalarParser(field, acceptedIntegers(field, style.annotations));
  }
  if (field.enum) return enumParser(field.enum, style);
  const { message } = field;
  const form = textForms.get(message.typeName);
  if (form) return (text) => parseForm(form, text, message);
  const inner = wrappedField(message);
  const parse = inner && textParser(inner, style);
  if (!parse || holdsBareValue(field)) return parse;
  return (text) => Object.assign(createMessage(message), { value: parse(text) });
}

/** A scalar field, or the keys of a map. */
export interface Scalar {
  readonly scalar: ScalarType;
  /** Whether 64-bit integers are strings: the option jstype = JS_STRING. */
  readonly longAsString?: boolean;
}

/** Returns the parser for a scalar. @param accepted the integers to name in an error; by default, all of the type */
export function scalarParser(
  field: Scalar,
  accepted = integerRanges.get(field.scalar),
): TextParser {
  if (accepted) {
    const reason = `must be an integer ${rangeText(accepted)} in plain decimal`;
    const convert = integerConversion(field, reason);
    return (text) => convert(parseInteger(text));
  }
  const { scalar } = field;
  switch (scalar) {
    case ScalarType.BOOL:
      return parseBool;
    case ScalarType.BYTES:
      return decodeBase64;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return (text) => parseFloating(text, scalar);
    default:
      return (text) => text;
  }
}

/** Accepts only one spelling of each integer, so that a resource has only one URL. */
function parseInteger(text: string): bigint | undefined {
  return /^(?:0|-?[1-9]\d{0,19})$/.test(text) ? BigInt(text) : undefined;
}

/** Converts an integer to the type of protobuf-es. @param reason message of the error when it is undefined or out of range */
export function integerConversion(
  { scalar, longAsString }: Scalar,
  reason: string,
): (value: bigint | undefined) => number | bigint | string {
  const { min, max, wide } = integerRanges.get(scalar) as IntegerRange;
  return (value) => {
    if (value === undefined || value < min || value > max) throw new InvalidInput(reason);
    if (!wide) return Number(value);
    return longAsString ? `${value}` : value;
  };
}

function parseBool(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidInput("must be true or false");
  return text === "true";
}

/** Parses a JSON number, NaN, Infinity or -Infinity. @throws InvalidInput for another text, or a number out of range of the type */
export function parseFloating(text: string, scalar: ScalarType): number {
  if (text === "NaN" || text === "Infinity" || text === "-Infinity") return Number(text);
  const value = jsonNumberPattern.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(scalar === ScalarType.FLOAT ? Math.fround(value) : value)) {
    throw new InvalidInput(
      `must be a ${scalar === ScalarType.FLOAT ? 32 : 64}-bit number, NaN, Infinity or -Infinity`,
    );
  }
  return value;
}

const standardOrUrlSafe = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/;

/** Decodes base64 in either alphabet (RFC 4648), with or without padding. @throws InvalidInput for other text, such as white space */
export function decodeBase64(text: string): Uint8Array {
  const rest = text.length % 4;
  if (!standardOrUrlSafe.test(text) || rest === 1 || (rest !== 0 && text.endsWith("="))) {
    throw new InvalidInput("must be base64");
  }
  return new Uint8Array(Buffer.from(text, "base64"));
}

function enumParser(desc: DescEnum, style: JsonStyle): TextParser {
  const whole = wholeNames(desc);
  const names = enumNames(desc, style);
  const unspecified = style.shortEnumNames ? unspecifiedNumber(desc) : undefined;
  const reason = `must be one of ${listForRequests(desc, style)}`;
  return (text) => {
    const number =
      names.toNumber.get(text) ?? whole.toNumber.get(text) ?? knownNumber(text, whole.toName);
    if (number !== undefined && number !== unspecified) return number;
    throw new InvalidInput(`has no value ${quote(text)}: ${reason}`);
  };
}

function knownNumber(text: string, names: ReadonlyMap<number, string>): number | undefined {
  const number = Number(parseInteger(text) ?? Number.NaN);
  return names.has(number) ? number : undefined;
}
