import { type DescEnum, type DescField, ScalarType } from "@bufbuild/protobuf";
import { acceptedIntegers, integerRanges, rangeText } from "../call/integer-range.ts";
import { decodeBase64 } from "./base64.ts";
import { listForRequests, shortNames, unspecifiedNumber, wholeNames } from "./enum-names.ts";
import { toLocalInteger } from "./integer.ts";
import { InvalidInput } from "./invalid-input.ts";
import { jsonNumberPattern } from "./json-cursor.ts";
import type { JsonDialect } from "./json-dialect.ts";
import { createMessage, holdsBareValue, wrappedField } from "./message-field.ts";
import { textForms } from "./well-known-text.ts";

/**
 * Reads a value of a path or query, percent-decoded, into the form in which protobuf-es keeps it.
 *
 * @throws InvalidInput that says what the text must be
 */
export type TextParser = (text: string) => unknown;

/**
 * Makes the parser for a field's value, or for one element of a repeated field.
 *
 * @returns undefined when there is no text for values of the field: maps, and messages other than
 * wrappers, Timestamp, Duration and FieldMask
 */
export function textParser(field: DescField, dialect: JsonDialect): TextParser | undefined {
  if (field.fieldKind === "map") return undefined;
  if (field.scalar !== undefined) {
    return scalarParser(field.scalar, field.longAsString, acceptedIntegers(field));
  }
  if (field.enum) return enumParser(field.enum, dialect);
  const { message } = field;
  const form = textForms.get(message.typeName);
  if (form) {
    return (text) => {
      const value = form.parse(text, message);
      if (value === undefined) throw new InvalidInput(`must be ${form.expected}`);
      return value;
    };
  }
  const inner = wrappedField(message);
  const parse = inner && textParser(inner, dialect);
  if (!parse || holdsBareValue(field)) return parse;
  return (text) => Object.assign(createMessage(message), { value: parse(text) });
}

/**
 * Makes the parser for a scalar; also for the keys of a map in JSON.
 *
 * @param accepted the integers to name in an error; those of the type when absent
 */
export function scalarParser(
  scalar: ScalarType,
  longAsString: boolean,
  accepted = integerRanges.get(scalar),
): TextParser {
  const range = integerRanges.get(scalar);
  if (range && accepted) {
    const reason = `must be an integer ${rangeText(accepted)} in plain decimal`;
    return (text) => {
      const value = parseInteger(text);
      const local = value === undefined ? value : toLocalInteger(value, range, longAsString);
      if (local === undefined) throw new InvalidInput(reason);
      return local;
    };
  }
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

/** An integer has one spelling here, so that a resource has one address. */
function parseInteger(text: string): bigint | undefined {
  return /^(?:0|-?[1-9]\d{0,19})$/.test(text) ? BigInt(text) : undefined;
}

function parseBool(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidInput("must be true or false");
  return text === "true";
}

/**
 * Reads a number by the grammar of JSON, or the words that ProtoJSON has for what JSON can't say.
 *
 * @throws InvalidInput also when the number is out of the type's range
 */
export function parseFloating(text: string, scalar: ScalarType): number {
  if (text === "NaN" || text === "Infinity" || text === "-Infinity") return Number(text);
  const value = jsonNumberPattern.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(scalar === ScalarType.FLOAT ? Math.fround(value) : value)) {
    throw new InvalidInput(
      `must be a number of ${scalar === ScalarType.FLOAT ? 32 : 64} bits, NaN, Infinity or -Infinity`,
    );
  }
  return value;
}

function enumParser(desc: DescEnum, dialect: JsonDialect): TextParser {
  const whole = wholeNames(desc);
  const short = dialect.shortEnumNames ? shortNames(desc) : undefined;
  const refused = short && unspecifiedNumber(desc);
  const reason = `must be one of ${listForRequests(desc, short ?? whole)}`;
  return (text) => {
    const number =
      short?.toNumber.get(text) ?? whole.toNumber.get(text) ?? knownNumber(text, whole.toName);
    if (number === undefined || number === refused) throw new InvalidInput(reason);
    return number;
  };
}

function knownNumber(text: string, names: ReadonlyMap<number, string>): number | undefined {
  const number = Number(parseInteger(text) ?? Number.NaN);
  return names.has(number) ? number : undefined;
}
