import { type DescField, type DescMessage, fromJson } from "@bufbuild/protobuf";
import { textForms } from "../../http/content/text-forms.ts";
import { InvalidInput } from "../../http/invalid-input.ts";
import {
  createMessage,
  holdsBareValue,
  holdsPlainObject,
  wrappedField,
} from "../binding/message-field.ts";
import { anyReader } from "./any-reader.ts";
import { jsonChar, mismatch, nextChar } from "./cursor.ts";
import type { JsonReaders } from "./message-reader.ts";
import { readText, scalarReader, type ValueReader } from "./scalar-reader.ts";
import { readJsonValue } from "./value.ts";

/**
 * Compiles the reader for a field whose message type protobuf-es stores unwrapped: wrappers and Struct.
 *
 * @returns undefined for other fields
 */
export function wellKnownFieldReader(
  readers: JsonReaders,
  field: DescField,
): ValueReader | undefined {
  if (holdsPlainObject(field)) return readObject;
  if (!field.message || !holdsBareValue(field)) return undefined;
  return wrappedReader(readers, field.message);
}

/**
 * Compiles the reader for a message whose JSON is not an object of its fields.
 *
 * @returns undefined for other messages
 * @see https://protobuf.dev/programming-guides/json/
 */
export function wellKnownReader(readers: JsonReaders, desc: DescMessage): ValueReader | undefined {
  const form = textForms.get(desc.typeName);
  if (form) {
    const reason = `must be ${form.expected}`;
    return (cursor) => {
      const message = form.parse(readText(cursor, reason), desc);
      if (!message) throw new InvalidInput(reason);
      return message;
    };
  }
  switch (desc.typeName) {
    case "google.protobuf.Any":
      return anyReader(readers, desc);
    case "google.protobuf.Struct":
      return (cursor) => fromJson(desc, readObject(cursor));
    case "google.protobuf.ListValue":
      return (cursor) => fromJson(desc, readArray(cursor));
    case "google.protobuf.Value":
      return (cursor) => fromJson(desc, readJsonValue(cursor));
  }
  const readWrapped = wrappedReader(readers, desc);
  return (
    readWrapped && ((cursor) => Object.assign(createMessage(desc), { value: readWrapped(cursor) }))
  );
}

function wrappedReader({ style }: JsonReaders, desc: DescMessage): ValueReader | undefined {
  const scalar = wrappedField(desc)?.scalar;
  return scalar && scalarReader(scalar, false, style);
}

function readObject(cursor: Parameters<ValueReader>[0]) {
  if (nextChar(cursor) !== jsonChar.openBrace) throw mismatch(cursor, "must be a JSON object");
  return readJsonValue(cursor);
}

function readArray(cursor: Parameters<ValueReader>[0]) {
  if (nextChar(cursor) !== jsonChar.openBracket) throw mismatch(cursor, "must be a JSON array");
  return readJsonValue(cursor);
}
