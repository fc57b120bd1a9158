import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromBinary,
  type Message,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import {
  type Any,
  FeatureSet_FieldPresence,
  hasCustomJsonRepresentation,
} from "@bufbuild/protobuf/wkt";
import { type IntegerRange, integerRanges } from "../../call/annotations.ts";
import { enumNames, unspecifiedNumber } from "../binding/enum-names.ts";
import {
  type AnyMessage,
  fieldsInJson,
  getField,
  holdsBareValue,
  holdsPlainObject,
  wrappedField,
} from "../binding/message-field.ts";
import type { Compiled } from "./compile-once.ts";
import type { JsonStyle } from "./style.ts";

/** Returns the JSON of a value of protobuf-es. @throws TypeError for one that its field does not allow, a bug of the service */
export type ValueWriter = (value: unknown) => string;

export type JsonWriters = Compiled<ValueWriter>;

export function compileWriter(writers: JsonWriters, desc: DescMessage): ValueWriter {
  const fields = fieldsInJson(desc, writers.style.annotations);
  return wellKnownWriter(writers, desc) ?? messageWriter(writers, fields);
}

export function messageWriter(writers: JsonWriters, fields: readonly DescField[]): ValueWriter {
  const members = fields.map((field) => ({
    first: `{${JSON.stringify(field.jsonName)}:`,
    next: `,${JSON.stringify(field.jsonName)}:`,
    field,
    write: memberWriter(writers, field),
  }));
  return (value) => {
    const message = value as AnyMessage;
    let json = "";
    let at = members[0];
    try {
      for (at of members) {
        const text = at.write(message);
        if (text !== undefined) json += (json === "" ? at.first : at.next) + text;
      }
    } catch (error) {
      throw unencodable(error, at?.field);
    }
    return json === "" ? "{}" : `${json}}`;
  };
}

/** A value that its field does not allow, which is a bug of the service. */
class Unencodable extends TypeError {}

/** Returns an error that names the innermost field. */
export function unencodable(error: unknown, field: DescField | undefined): Unencodable {
  if (error instanceof Unencodable) return error;
  return new Unencodable(`${field} cannot be encoded: ${(error as Error).message}`, {
    cause: error,
  });
}

/** Returns undefined when the member is not sent. */
type MemberWriter = (message: AnyMessage) => string | undefined;

function memberWriter(writers: JsonWriters, field: DescField): MemberWriter {
  const write = fieldWriter(writers, field);
  const { emitDefaults, shortEnumNames } = writers.style;
  const { localName, oneof } = field;
  const unsent =
    field.fieldKind === "enum" && shortEnumNames ? unspecifiedNumber(field.enum) : undefined;
  if (oneof || field.presence !== FeatureSet_FieldPresence.IMPLICIT) {
    return (message) => {
      const value = getField(message, field);
      return value === undefined || value === unsent ? undefined : write(value);
    };
  }
  const isDefault = emitDefaults ? undefined : defaultTest(field);
  return (message) => {
    const value = message[localName];
    return value === unsent || isDefault?.(value) ? undefined : write(value);
  };
}

/** Returns a function that checks whether a field without presence has its default value. */
function defaultTest(field: DescField): (value: unknown) => boolean {
  if (field.fieldKind === "list") return (value) => Array.isArray(value) && value.length === 0;
  if (field.fieldKind === "map") return (value) => Object.keys(value as object).length === 0;
  switch (field.scalar) {
    case ScalarType.BYTES:
      return (value) => (value as Uint8Array).length === 0;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      // -0 differs from the default, 0.
      return (value) => Object.is(value, 0);
    default:
      // Default values: 0, 0n, "0" for an integer (jstype = JS_STRING), "" and false.
      return (value) => !value || (value === "0" && field.scalar !== ScalarType.STRING);
  }
}

/** Compiles the writer for the value of a field: an array if it is repeated, an object if it is a map. */
export function fieldWriter(writers: JsonWriters, field: DescField): ValueWriter {
  const write = singleWriter(writers, field);
  if (field.fieldKind === "list") return listWriter(write);
  return field.fieldKind === "map" ? mapWriter(write) : write;
}

/** Compiles the writer for the value of a singular field, an element of a list or a value of a map. */
export function singleWriter(writers: JsonWriters, field: DescField): ValueWriter {
  if (field.enum) return enumWriter(field.enum, writers.style);
  if (!field.message) return scalarWriter(field.scalar, writers.style);
  if (holdsPlainObject(field)) return writeJsonValue;
  const write = writers.message(field.message);
  return holdsBareValue(field) ? (value) => write({ value }) : write;
}

function listWriter(write: ValueWriter): ValueWriter {
  return (list) => {
    if (!Array.isArray(list)) throw new TypeError("its value is not an array");
    let json = "";
    for (const element of list) json += (json === "" ? "" : ",") + write(element);
    return `[${json}]`;
  };
}

function mapWriter(write: ValueWriter): ValueWriter {
  return (value) => {
    const map = value as Record<string, unknown>;
    const members = Object.keys(map).map((key) => `${writeText(key)}:${write(map[key])}`);
    return `{${members.join()}}`;
  };
}

function scalarWriter(scalar: ScalarType, style: JsonStyle): ValueWriter {
  const range = integerRanges.get(scalar);
  return range ? integerWriter(range, style) : (otherWriters.get(scalar) ?? writeString);
}

const otherWriters = new Map<ScalarType, ValueWriter>([
  [ScalarType.BYTES, writeBytes],
  [ScalarType.DOUBLE, writeFloating],
  [ScalarType.FLOAT, writeFloating],
  [ScalarType.BOOL, writeBool],
]);

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
  return writeText(value);
}

/** Lone surrogates become U+FFFD, as in binary messages. JSON has escapes for them, but many clients refuse those. */
function writeText(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

function writeBytes(value: unknown): string {
  const { buffer, byteOffset, byteLength } = value as Uint8Array;
  return `"${Buffer.from(buffer, byteOffset, byteLength).toString("base64")}"`;
}

function invalidValue(value: unknown): TypeError {
  return new TypeError(`its value is ${String(value)}`);
}

function writeFloating(value: unknown): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : `${value}`;
  if (typeof value !== "number") throw invalidValue(value);
  return `"${value}"`;
}

/** A value without a name is written as its number. */
function enumWriter(desc: DescEnum, style: JsonStyle): ValueWriter {
  if (desc.typeName === "google.protobuf.NullValue") return () => "null";
  const { toName } = enumNames(desc, style);
  const texts = new Map<unknown, string>();
  for (const [number, name] of toName) texts.set(number, JSON.stringify(name));
  const writeNumber = scalarWriter(ScalarType.INT32, style);
  return (value) => texts.get(value) ?? writeNumber(value);
}

/** Returns undefined for a message whose JSON is an object of its fields (https://protobuf.dev/programming-guides/json/). */
function wellKnownWriter(writers: JsonWriters, desc: DescMessage): ValueWriter | undefined {
  const inner = wrappedField(desc);
  if (inner) {
    const write = scalarWriter(inner.scalar, writers.style);
    return (message) => write((message as { value: unknown }).value);
  }
  if (desc.typeName === "google.protobuf.Any") return anyWriter(writers);
  if (!hasCustomJsonRepresentation(desc)) return undefined;
  return (message) => writeJsonValue(toJson(desc, message as Message));
}

/** The writer throws a TypeError for a type that is not in the registry. */
function anyWriter({ registry, message }: JsonWriters): ValueWriter {
  return (any) => {
    const { typeUrl, value } = any as Any;
    if (typeUrl === "") return "{}";
    const desc = registry?.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
    if (!desc) throw new TypeError(`google.protobuf.Any of unknown type ${typeUrl}`);
    const json = message(desc)(fromBinary(desc, value));
    const type = `{"@type":${writeText(typeUrl)}`;
    if (hasCustomJsonRepresentation(desc)) return `${type},"value":${json}}`;
    return json === "{}" ? `${type}}` : `${type},${json.slice(1)}`;
  };
}

/** Writes any JSON value like JSON.stringify, except that -0 is written as `-0`, and NaN and Infinity are errors. */
function writeJsonValue(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    return (Array.isArray(value) ? listWriter : mapWriter)(writeJsonValue)(value);
  }
  if (Number.isFinite(value)) return writeFloating(value);
  if (typeof value === "string") return writeText(value);
  return value === null ? "null" : writeBool(value);
}
