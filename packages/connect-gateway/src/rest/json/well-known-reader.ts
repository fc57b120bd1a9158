import {
  type DescField,
  type DescMessage,
  fromJson,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { getOrInsert } from "../../call/get-or-insert.ts";
import { textForms } from "../../http/content/text-forms.ts";
import { InvalidInput } from "../../http/invalid-input.ts";
import {
  createMessage,
  hasOwnJson,
  holdsBareValue,
  holdsPlainObject,
  wrappedField,
} from "../binding/message-field.ts";
import { type JsonReaders, messageReader, nothingBound } from "./message-reader.ts";
import { readText, scalarReader, type ValueReader } from "./scalar-reader.ts";
import { readArray, readJsonValue, readMembers, readObject } from "./value.ts";

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

/**
 * Compiles the reader for google.protobuf.Any. Its JSON is an object with `@type` and the fields of the message, or `value`
 * if the JSON of that message is not an object of its fields. `{}` is an empty Any.
 *
 * @see google/protobuf/any.proto
 */
function anyReader(readers: JsonReaders, any: DescMessage): ValueReader {
  const compiled = new Map<DescMessage, ValueReader>();
  const readerFor = (desc: DescMessage) =>
    getOrInsert(compiled, desc, () =>
      hasOwnJson(desc)
        ? valueReader(readers, desc)
        : messageReader(readers, desc, nothingBound, "@type"),
    );
  return (cursor) => {
    const start = cursor.at;
    // The type can be at any position, so the object is read twice.
    const members = readObject(cursor);
    if (Object.keys(members).length === 0) return createMessage(any);
    const { "@type": typeUrl } = members;
    if (typeof typeUrl !== "string" || typeUrl === "") {
      throw new InvalidInput("must be a string: the type URL of the message", "@type");
    }
    const desc = readers.registry?.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
    if (!desc) throw new InvalidInput("is not a known message type", "@type");
    cursor.at = start;
    const message = readerFor(desc)(cursor) as Message;
    return Object.assign(createMessage(any), { typeUrl, value: toBinary(desc, message) });
  };
}

/** Returns the reader for the object of an Any with a member `value`. No name occurs twice in it. */
function valueReader(readers: JsonReaders, desc: DescMessage): ValueReader {
  const read = readers.message(desc);
  return (cursor) => {
    let message: unknown;
    readMembers(cursor, (name) => {
      if (name === "value") message = read(cursor);
      else if (name === "@type") readJsonValue(cursor);
      else throw new InvalidInput("unknown field; use value");
    });
    if (message === undefined) throw new InvalidInput("is required", "value");
    return message;
  };
}
