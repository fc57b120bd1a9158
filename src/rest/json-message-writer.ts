import { type DescField, type DescMessage, type Registry, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { unspecifiedNumber } from "./enum-names.ts";
import { anyWriter } from "./json-any-writer.ts";
import type { JsonDialect } from "./json-dialect.ts";
import { listWriter } from "./json-list-writer.ts";
import { enumWriter, scalarWriter, type ValueWriter } from "./json-scalar-writer.ts";
import { wellKnownFieldWriter, wellKnownWriter } from "./json-well-known-writer.ts";
import { type AnyMessage, fieldsInJson, getField } from "./message-field.ts";

/** Writers of messages in one dialect, each compiled once. */
export interface JsonWriters {
  readonly dialect: JsonDialect;
  /** Types that a google.protobuf.Any can hold. */
  readonly registry: Registry | undefined;
  /** The writer for a message. */
  readonly message: (desc: DescMessage) => ValueWriter;
}

/** Makes writers. @param registry types that a google.protobuf.Any can hold */
export function createWriters(dialect: JsonDialect, registry: Registry | undefined): JsonWriters {
  const compiled = new WeakMap<DescMessage, ValueWriter>();
  const writers: JsonWriters = {
    dialect,
    registry,
    message(desc) {
      const known = compiled.get(desc);
      if (known) return known;
      // A message can contain itself, so there has to be a writer before there is one.
      compiled.set(desc, (value) => writers.message(desc)(value));
      const write = writerFor(writers, desc);
      compiled.set(desc, write);
      return write;
    },
  };
  return writers;
}

function writerFor(writers: JsonWriters, desc: DescMessage): ValueWriter {
  if (desc.typeName === "google.protobuf.Any") return anyWriter(writers);
  return wellKnownWriter(writers, desc) ?? messageWriter(writers, desc);
}

function messageWriter(writers: JsonWriters, desc: DescMessage): ValueWriter {
  const members = fieldsInJson(desc).map((field) => ({
    first: `{${JSON.stringify(field.jsonName)}:`,
    next: `,${JSON.stringify(field.jsonName)}:`,
    write: memberWriter(writers, field),
  }));
  return (value) => {
    const message = value as AnyMessage;
    let json = "";
    for (const { first, next, write } of members) {
      const text = write(message);
      if (text !== undefined) json += (json === "" ? first : next) + text;
    }
    return json === "" ? "{}" : `${json}}`;
  };
}

/** Writes a member's value; undefined when the member is not sent. */
type MemberWriter = (message: AnyMessage) => string | undefined;

function memberWriter(writers: JsonWriters, field: DescField): MemberWriter {
  const write = fieldWriter(writers, field);
  const { emitDefaults, shortEnumNames } = writers.dialect;
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

/** Tells whether a field without presence has its default value. */
function defaultTest(field: DescField): (value: unknown) => boolean {
  if (field.fieldKind === "list") return (value) => (value as unknown[]).length === 0;
  if (field.fieldKind === "map") return (value) => Object.keys(value as object).length === 0;
  switch (field.scalar) {
    case ScalarType.BYTES:
      return (value) => (value as Uint8Array).length === 0;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      // -0 is a value of its own.
      return (value) => Object.is(value, 0);
    default:
      // Of these no other value but 0, 0n, "0" (jstype = JS_STRING), "" and false is a default.
      return (value) => !value || (value === "0" && field.scalar !== ScalarType.STRING);
  }
}

/** Compiles a writer for the whole value of a field: an array if it is repeated, an object for a map. */
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

/** Compiles a writer for the value of a singular field, an element of a list or a value of a map. */
export function singleWriter(writers: JsonWriters, field: DescField): ValueWriter {
  if (field.message) {
    return wellKnownFieldWriter(writers, field) ?? writers.message(field.message);
  }
  if (field.enum) return enumWriter(field.enum, writers.dialect);
  return scalarWriter(field.scalar, writers.dialect);
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
