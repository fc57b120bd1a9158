import { type DescField, type DescMessage, type Registry, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { unspecifiedNumber } from "../binding/enum-names.ts";
import { type AnyMessage, fieldsInJson, getField } from "../binding/message-field.ts";
import { type Compiled, compileOnce } from "./compile-once.ts";
import { listWriter } from "./list-writer.ts";
import { enumWriter, scalarWriter, type ValueWriter } from "./scalar-writer.ts";
import type { JsonStyle } from "./style.ts";
import { wellKnownFieldWriter, wellKnownWriter } from "./well-known-writer.ts";

/** Writers of messages in one style. */
export type JsonWriters = Compiled<ValueWriter>;

/** Creates writers. @param registry types that a google.protobuf.Any can hold */
export function createWriters(style: JsonStyle, registry: Registry | undefined): JsonWriters {
  return compileOnce(style, registry, (writers: JsonWriters, desc) => {
    return wellKnownWriter(writers, desc) ?? messageWriter(writers, desc);
  });
}

function messageWriter(writers: JsonWriters, desc: DescMessage): ValueWriter {
  const members = fieldsInJson(desc, writers.style.annotations).map((field) => ({
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

/** Returns the JSON of a member's value; undefined when the member is not sent. */
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
  if (field.fieldKind === "list") return (value) => (value as unknown[]).length === 0;
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
  switch (field.fieldKind) {
    case "list":
      return listWriter(write);
    case "map":
      return mapWriter(write);
    default:
      return write;
  }
}

/** Compiles the writer for the value of a singular field, an element of a list or a value of a map. */
export function singleWriter(writers: JsonWriters, field: DescField): ValueWriter {
  if (field.message) {
    return wellKnownFieldWriter(writers, field) ?? writers.message(field.message);
  }
  if (field.enum) return enumWriter(field.enum, writers.style);
  return scalarWriter(field.scalar, writers.style);
}

function mapWriter(write: ValueWriter): ValueWriter {
  return (value) => {
    const map = value as Record<string, unknown>;
    let json = "";
    for (const key of Object.keys(map)) {
      json += `${json === "" ? "{" : ","}${JSON.stringify(key)}:${write(map[key])}`;
    }
    return json === "" ? "{}" : `${json}}`;
  };
}
