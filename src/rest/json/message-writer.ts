import { type DescField, type DescMessage, type Message, toJson } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { textForms } from "../../http/content/text-forms.ts";
import type { Annotations } from "../annotations.ts";
import { unspecifiedNumber } from "../binding/enum-names.ts";
import {
  type AnyMessage,
  fieldsInJson,
  getField,
  rejectUnsupported,
} from "../binding/message-field.ts";
import { compileOnce } from "./compile-once.ts";
import { listWriter } from "./list-writer.ts";
import { enumWriter, scalarWriter, type ValueWriter } from "./scalar-writer.ts";

/** Writers of messages. Each is compiled once. */
export interface JsonWriters {
  readonly annotations: Annotations;
  /** The writer for a message. */
  readonly message: (desc: DescMessage) => ValueWriter;
}

/** Creates writers. */
export function createWriters(annotations: Annotations): JsonWriters {
  const writers: JsonWriters = {
    annotations,
    message: compileOnce((desc) => textFormWriter(desc) ?? messageWriter(writers, desc)),
  };
  return writers;
}

/** Compiles the writer for a message whose JSON is a text. @returns undefined for other messages */
function textFormWriter(desc: DescMessage): ValueWriter | undefined {
  if (!textForms.has(desc.typeName)) return undefined;
  return (message) => JSON.stringify(toJson(desc, message as Message));
}

/** @throws Error for a message that the transcoder does not support */
function messageWriter(writers: JsonWriters, desc: DescMessage): ValueWriter {
  rejectUnsupported(desc);
  const members = fieldsInJson(desc, writers.annotations).map((field) => ({
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

/** Returns the JSON of a member's value; undefined when the member is not sent. */
type MemberWriter = (message: AnyMessage) => string | undefined;

function memberWriter(writers: JsonWriters, field: DescField): MemberWriter {
  const write = fieldWriter(writers, field);
  const { localName, oneof } = field;
  const unsent = field.fieldKind === "enum" ? unspecifiedNumber(field.enum) : undefined;
  if (oneof || field.presence !== FeatureSet_FieldPresence.IMPLICIT) {
    return (message) => {
      const value = getField(message, field);
      return value === undefined || value === unsent ? undefined : write(value);
    };
  }
  return (message) => {
    const value = message[localName];
    return value === unsent ? undefined : write(value);
  };
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
  if (field.message) return writers.message(field.message);
  if (field.enum) return enumWriter(field.enum);
  return scalarWriter(field.scalar);
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
