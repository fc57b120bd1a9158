import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { textForms } from "../../http/content/text-forms.ts";
import { holdsBareValue, holdsPlainObject, wrappedField } from "../binding/message-field.ts";
import type { JsonWriters } from "./message-writer.ts";
import { scalarWriter, type ValueWriter } from "./scalar-writer.ts";
import { writeJsonValue } from "./value-writer.ts";

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
 * @throws Error for google.protobuf.Any
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
      throw new Error("google.protobuf.Any is not supported");
    case "google.protobuf.Struct":
    case "google.protobuf.ListValue":
    case "google.protobuf.Value":
      return (message) => writeJsonValue(toJson(desc, message as Message));
  }
  if (!textForms.has(desc.typeName)) return undefined;
  return (message) => JSON.stringify(toJson(desc, message as Message));
}
