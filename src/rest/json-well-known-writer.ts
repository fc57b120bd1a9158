import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import type { JsonWriters } from "./json-message-writer.ts";
import { scalarWriter, type ValueWriter } from "./json-scalar-writer.ts";
import { writeJsonValue } from "./json-value-writer.ts";
import { holdsBareValue, holdsPlainObject, wrappedField } from "./message-field.ts";
import { textForms } from "./well-known-text.ts";

/**
 * Compiles a writer for a field of a type that protobuf-es keeps in another form when it is the value
 * of a field.
 *
 * @returns undefined for other fields
 */
export function wellKnownFieldWriter(
  { dialect }: JsonWriters,
  field: DescField,
): ValueWriter | undefined {
  if (holdsPlainObject(field)) return (value) => writeJsonValue(value as JsonObject);
  const scalar = holdsBareValue(field) && field.message && wrappedField(field.message)?.scalar;
  return scalar ? scalarWriter(scalar, dialect) : undefined;
}

/**
 * Compiles a writer for a message whose JSON is not an object of its fields.
 *
 * @returns undefined for other messages
 * @see https://protobuf.dev/programming-guides/json/
 */
export function wellKnownWriter(
  { dialect }: JsonWriters,
  desc: DescMessage,
): ValueWriter | undefined {
  const scalar = wrappedField(desc)?.scalar;
  if (scalar) {
    const write = scalarWriter(scalar, dialect);
    return (message) => write((message as { value: unknown }).value);
  }
  switch (desc.typeName) {
    case "google.protobuf.Struct":
    case "google.protobuf.ListValue":
    case "google.protobuf.Value":
      return (message) => writeJsonValue(toJson(desc, message as Message));
  }
  if (!textForms.has(desc.typeName)) return undefined;
  return (message) => `"${toJson(desc, message as Message)}"`;
}
