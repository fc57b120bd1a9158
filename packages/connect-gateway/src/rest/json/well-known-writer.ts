import {
  type DescField,
  type DescMessage,
  fromBinary,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { textForms } from "../../http/content/text-forms.ts";
import {
  hasOwnJson,
  holdsBareValue,
  holdsPlainObject,
  wrappedField,
} from "../binding/message-field.ts";
import type { JsonWriters } from "./message-writer.ts";
import { scalarWriter, type ValueWriter } from "./scalar-writer.ts";

/**
 * Compiles the writer for a field whose message type protobuf-es stores unwrapped: wrappers and Struct.
 *
 * @returns undefined for other fields
 */
export function wellKnownFieldWriter(
  { style }: JsonWriters,
  field: DescField,
): ValueWriter | undefined {
  if (holdsPlainObject(field)) return (value) => writeJsonValue(value as JsonObject);
  const scalar = holdsBareValue(field) && field.message && wrappedField(field.message)?.scalar;
  return scalar ? scalarWriter(scalar, style) : undefined;
}

/**
 * Compiles the writer for a message whose JSON is not an object of its fields.
 *
 * @returns undefined for other messages
 * @see https://protobuf.dev/programming-guides/json/
 */
export function wellKnownWriter(writers: JsonWriters, desc: DescMessage): ValueWriter | undefined {
  const scalar = wrappedField(desc)?.scalar;
  if (scalar) {
    const write = scalarWriter(scalar, writers.style);
    return (message) => write((message as { value: unknown }).value);
  }
  switch (desc.typeName) {
    case "google.protobuf.Any":
      return anyWriter(writers);
    case "google.protobuf.Struct":
    case "google.protobuf.ListValue":
    case "google.protobuf.Value":
      return (message) => writeJsonValue(toJson(desc, message as Message));
  }
  if (!textForms.has(desc.typeName)) return undefined;
  return (message) => JSON.stringify(toJson(desc, message as Message));
}

/** Compiles the writer for google.protobuf.Any. The writer throws a TypeError for a type that is not in the registry. */
function anyWriter({ registry, message }: JsonWriters): ValueWriter {
  return (any) => {
    const { typeUrl, value } = any as Any;
    if (typeUrl === "") return "{}";
    const desc = registry?.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
    if (!desc) throw new TypeError(`google.protobuf.Any of unknown type ${typeUrl}`);
    const json = message(desc)(fromBinary(desc, value));
    const type = `{"@type":${JSON.stringify(typeUrl)}`;
    if (hasOwnJson(desc)) return `${type},"value":${json}}`;
    return json === "{}" ? `${type}}` : `${type},${json.slice(1)}`;
  };
}

/**
 * Writes any JSON value like JSON.stringify, except that -0 is written as `-0`.
 *
 * @throws TypeError for a value that JSON cannot represent, such as NaN
 */
function writeJsonValue(value: JsonValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value)
      ? `[${Array.from(value, (element) => writeJsonValue(element)).join()}]`
      : writeObject(value);
  }
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : `${value}`;
  if (value === null || typeof value === "boolean") return `${value}`;
  throw new TypeError(`JSON cannot represent ${String(value)}`);
}

function writeObject(object: Readonly<Record<string, JsonValue>>): string {
  const members = Object.entries(object).map(
    ([name, value]) => `${JSON.stringify(name)}:${writeJsonValue(value)}`,
  );
  return `{${members.join()}}`;
}
