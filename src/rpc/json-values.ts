import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { acceptedValues } from "../call/enum-word.ts";
import {
  acceptedIntegers,
  type IntegerRange,
  integerRanges,
  rangeText,
} from "../call/integer-range.ts";
import { abridge, quote } from "../call/quote.ts";
import { type TextForm, textForms } from "../http/content/text-forms.ts";
import { OutOfBounds } from "../http/invalid-input.ts";
import type { CheckMessage, Refuse } from "./limits/binary-scan.ts";

/** Checks a value that JSON.parse has returned. @param path of the field, in proto names */
type ValueCheck = (value: unknown, path: string, depth: number) => void;

/** Deepest nesting that is checked. protobuf-es reports an error beyond it. */
const maxDepth = 100;

/**
 * Makes the check that all known fields of a JSON message have values of ProtoJSON, so that protobuf-es neither drops a
 * value nor reports a fault of the client in terms of its own. With `ignoreUnknownFields`, protobuf-es drops unknown names
 * of enums too. It reads `"0x2"` and `" 2"` as integers. Unknown fields are not checked.
 *
 * A text that is not JSON passes: the parser reports it. So do most well-known types.
 *
 * See https://protobuf.dev/programming-guides/json
 */
export function createValueCheck(desc: DescMessage, refuse: Refuse): CheckMessage {
  const check = createChecks(refuse)(desc);
  return (json) => {
    let value: unknown;
    try {
      value = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
    } catch {
      return;
    }
    check(value, "", 0);
  };
}

/** Returns a function that compiles each message type once. Types may contain themselves. */
function createChecks(refuse: Refuse): (desc: DescMessage) => ValueCheck {
  const known = new Map<DescMessage, ValueCheck>();

  function messageCheck(desc: DescMessage): ValueCheck {
    if (isWrapperDesc(desc)) return scalarCheck(desc.fields[0]);
    const form = textForms.get(desc.typeName);
    if (form) return textCheck(form, desc);
    if (desc.typeName.startsWith("google.protobuf.")) return () => undefined;
    const before = known.get(desc);
    if (before) return before;
    const fields = new Map<string, { readonly field: DescField; readonly check: ValueCheck }>();
    const check: ValueCheck = (value, path, depth) => {
      if (!isObject(value)) throw refuse(path, "must be an object");
      if (depth > maxDepth) return;
      const prefix = path === "" ? "" : `${path}.`;
      const given = new Map<DescField, string>();
      for (const name of Object.keys(value)) {
        const known = fields.get(name);
        if (!known) continue;
        const { field, check } = known;
        const first = given.get(field);
        if (first !== undefined) {
          throw refuse(
            prefix + field.name,
            `is given twice, as ${quote(first)} and ${quote(name)}`,
          );
        }
        given.set(field, name);
        const member = value[name];
        if (member !== null) check(member, prefix + field.name, depth + 1);
      }
    };
    // Registered before the fields are compiled, because a message can contain itself.
    known.set(desc, check);
    for (const field of desc.fields) {
      const entry = { field, check: fieldCheck(field) };
      fields.set(field.name, entry).set(field.jsonName, entry);
    }
    return check;
  }

  function fieldCheck(field: DescField): ValueCheck {
    if (field.fieldKind === "map") return mapCheck(field);
    const check = singleCheck(field);
    if (field.fieldKind !== "list") return check;
    return (value, path, depth) => {
      if (!Array.isArray(value)) throw refuse(path, "must be an array");
      for (const [index, element] of value.entries()) check(element, `${path}[${index}]`, depth);
    };
  }

  function mapCheck(field: DescField & { readonly fieldKind: "map" }): ValueCheck {
    const check = singleCheck(field);
    const range = integerRanges.get(field.mapKey);
    return (value, path, depth) => {
      if (!isObject(value)) throw refuse(path, "must be an object");
      for (const [key, element] of Object.entries(value)) {
        const entry = `${path}[${quote(key)}]`;
        if (range && !isInteger(key, range)) {
          throw refuse(entry, `its key must be an integer ${rangeText(range)}`);
        }
        check(element, entry, depth);
      }
    };
  }

  /** Returns the check of a single value: of a field, of an element, or of an entry. */
  function singleCheck(field: DescField): ValueCheck {
    if (field.message) return messageCheck(field.message);
    return field.enum ? enumCheck(field.enum) : scalarCheck(field);
  }

  function enumCheck(desc: DescEnum): ValueCheck {
    if (desc.typeName === "google.protobuf.NullValue") return () => undefined;
    const names = new Set(desc.values.flatMap(({ name, jsonName }) => [name, jsonName]));
    const accepted = acceptedValues(desc)
      .filter(({ number }) => number !== 0)
      .map(({ name }) => name);
    return (value, path) => {
      if (typeof value === "string" ? names.has(value) : isInteger(value, enumRange)) return;
      throw refuse(path, `has no value ${textOf(value)}: send one of ${accepted.join(", ")}`);
    };
  }

  function textCheck({ parse, expected }: TextForm, desc: DescMessage): ValueCheck {
    return (value, path) => {
      let isValid = false;
      try {
        isValid = typeof value === "string" && parse(value, desc) !== undefined;
      } catch (error) {
        if (error instanceof OutOfBounds) throw refuse(path, error.reason);
        throw error;
      }
      if (!isValid) throw refuse(path, `must be ${expected}`);
    };
  }

  function scalarCheck(field: DescField): ValueCheck {
    const [isValid, must] = scalarRule(field);
    return (value, path) => {
      if (!isValid(value)) throw refuse(path, must);
    };
  }

  return messageCheck;
}

/** Whether a scalar field accepts a value, and a description of the accepted values. */
type ScalarRule = readonly [isValid: (value: unknown) => boolean, must: string];

const booleanRule: ScalarRule = [(value) => typeof value === "boolean", "must be true or false"];
const textRule: ScalarRule = [
  (value) => typeof value === "string" && value.isWellFormed(),
  "must be a string without lone surrogates",
];
const bytesRule: ScalarRule = [
  (value) => typeof value === "string" && isBase64(value),
  "must be base64",
];
const numberRule: ScalarRule = [isNumber, "must be a number"];

function scalarRule(field: DescField): ScalarRule {
  const type = integerRanges.get(field.scalar ?? ScalarType.STRING);
  const range = acceptedIntegers(field);
  if (type && range) {
    return [(value) => isInteger(value, type), `must be an integer ${rangeText(range)}`];
  }
  switch (field.scalar) {
    case ScalarType.BOOL:
      return booleanRule;
    case ScalarType.BYTES:
      return bytesRule;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return numberRule;
    default:
      return textRule;
  }
}

const enumRange: IntegerRange = { min: -(2n ** 31n), max: 2n ** 31n - 1n, wide: false };

/** An integer in a string. */
const decimalInteger = /^-?(?:0|[1-9]\d{0,19})$/;

/** A number in a string, as in JSON. ProtoJSON allows an exponent there too. */
const decimalNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const namedNumbers: ReadonlySet<unknown> = new Set(["NaN", "Infinity", "-Infinity"]);

/**
 * @param type the range of the type. The validator checks the bounds of the field, as in the binary format.
 */
function isInteger(value: unknown, type: IntegerRange): boolean {
  const { min, max, wide } = type;
  if (typeof value !== "string") return isIn(value);
  if (decimalInteger.test(value)) return isIn(BigInt(value));
  // protobuf-es does not read an exponent in a string as a 64-bit integer.
  return !wide && decimalNumber.test(value) && isIn(Number(value));

  function isIn(number: unknown): boolean {
    const isWhole = typeof number === "bigint" || Number.isInteger(number);
    return isWhole && (number as number | bigint) >= min && (number as number | bigint) <= max;
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === "string"
    ? namedNumbers.has(value) || decimalNumber.test(value)
    : typeof value === "number";
}

function isBase64(text: string): boolean {
  try {
    base64Decode(text);
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value as JSON, shortened. */
function textOf(value: unknown): string {
  return typeof value === "string" ? quote(value) : abridge(JSON.stringify(value));
}
