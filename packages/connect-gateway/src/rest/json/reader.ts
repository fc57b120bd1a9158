import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation, ListValueSchema, StructSchema } from "@bufbuild/protobuf/wkt";
import { acceptedIntegers, maxItemsOf } from "../../call/annotations.ts";
import { getOrInsert } from "../../call/get-or-insert.ts";
import { quote } from "../../call/quote.ts";
import { InvalidInput, within } from "../../http/invalid-input.ts";
import {
  type AnyMessage,
  createMessage,
  fieldsByName,
  fieldsInJson,
  holdsBareValue,
  holdsPlainObject,
  setField,
  wrappedField,
} from "../binding/message-field.ts";
import { scalarParser } from "../binding/scalar-text.ts";
import { parseForm, textForms } from "../binding/text-forms.ts";
import type { Compiled } from "./compile-once.ts";
import {
  enter,
  goOn,
  type JsonCursor,
  jsonValueReaders,
  mismatch,
  nextChar,
  readJsonValue,
  readList,
  readMap,
  readMembers,
  readName,
  readObject,
  readWord,
  skipJsonValue,
} from "./cursor.ts";
import { enumReader, readText, scalarReader, type ValueReader } from "./scalar-reader.ts";

export type JsonReaders = Compiled<ValueReader>;

/** Fields of a message that other parts of the request have set. */
export interface BoundFields {
  /** By field: index into the cursor's bound values. */
  readonly values: Map<DescField, number>;
  /** By message field: the fields inside it. */
  readonly inner: Map<DescField, BoundFields>;
}

export function noFields(): BoundFields {
  return { values: new Map(), inner: new Map() };
}

const nothingBound = noFields();

export function compileReader(readers: JsonReaders, desc: DescMessage): ValueReader {
  return wellKnownReader(readers, desc) ?? messageReader(readers, desc);
}

interface Member {
  readonly index: number;
  /** The name of the field in an error; undefined for the name that was sent. */
  readonly name: string | undefined;
  readonly read: (cursor: JsonCursor, message: AnyMessage) => void;
}

/**
 * @param bound fields that other parts of the request have set: in the text they must have the same value
 * @param ignored name of a member to skip
 */
export function messageReader(
  readers: JsonReaders,
  desc: DescMessage,
  bound = nothingBound,
  ignored?: string,
): ValueReader {
  const { annotations, ignoreUnknown, protoPaths } = readers.style;
  const fields = fieldsInJson(desc, annotations);
  const ordered = fields.map((field, index) => {
    const name = protoPaths ? field.name : undefined;
    return { index, name, read: memberReader(readers, field, bound) };
  });
  const members = new Map<string, Member | undefined>();
  for (const [name, field] of fieldsByName(desc, annotations)) {
    members.set(name, ordered[fields.indexOf(field)]);
  }
  if (ignored !== undefined) {
    members.set(ignored, { index: fields.length, name: undefined, read: skipJsonValue });
  }
  const names = fields.map(({ jsonName }) => jsonName).join(", ");
  const unknown = names
    ? `unknown field; use one of ${names}`
    : "unknown field; this message has no fields";
  return (cursor) => {
    if (nextChar(cursor) !== "{") throw mismatch(cursor, "must be a JSON object");
    const message = createMessage(desc);
    if (!enter(cursor, "}")) return message;
    const seen: string[] = [];
    let step = "";
    try {
      do {
        const name = readName(cursor);
        const member = members.get(name);
        step = member?.name ?? name;
        if (member) {
          const before = seen[member.index];
          if (before !== undefined) throw givenTwice(before, name);
          seen[member.index] = name;
          member.read(cursor, message);
        } else if (ignoreUnknown) skipJsonValue(cursor);
        else throw new InvalidInput(unknown);
        step = "";
      } while (goOn(cursor, "}"));
    } catch (error) {
      throw within(step, error);
    }
    return message;
  };
}

function givenTwice(first: string, second: string): InvalidInput {
  const names = first === second ? "" : `, as ${quote(first)} and ${quote(second)}`;
  return new InvalidInput(`is given twice${names}; send it once`);
}

function memberReader(readers: JsonReaders, field: DescField, bound: BoundFields): Member["read"] {
  const { localName, oneof } = field;
  const read = boundReader(readers, field, bound);
  const skipNull = readers.style.nullIsAbsent && !takesNull(field);
  return (cursor, message) => {
    if (skipNull && nextChar(cursor) === "n") readWord(cursor, "null");
    else if (oneof) setField(message, field, read(cursor));
    else message[localName] = read(cursor);
  };
}

/** Returns whether `null` is a value of the field. */
function takesNull(field: DescField): boolean {
  if (field.fieldKind === "enum") return field.enum.typeName === "google.protobuf.NullValue";
  return field.fieldKind === "message" && field.message.typeName === "google.protobuf.Value";
}

function boundReader(readers: JsonReaders, field: DescField, bound: BoundFields): ValueReader {
  const inner = bound.inner.get(field);
  if (inner && field.message) return messageReader(readers, field.message, inner);
  const read = fieldReader(readers, field);
  const index = bound.values.get(field);
  if (index === undefined) return read;
  return (cursor) => {
    const value = read(cursor);
    if (!isSame(value, cursor.bound[index])) {
      throw new InvalidInput(
        "differs from the value in the path; send the same value or leave it out",
      );
    }
    return value;
  };
}

function isSame(a: unknown, b: unknown): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return Object.is(a, b);
}

/** Compiles the reader for the value of a field: an array if it is repeated, an object if it is a map. */
export function fieldReader(readers: JsonReaders, field: DescField): ValueReader {
  const read = singleReader(readers, field);
  if (field.fieldKind !== "list" && field.fieldKind !== "map") return read;
  const maxItems = maxItemsOf(field, readers.style.annotations);
  if (field.fieldKind === "list") return (cursor) => readList(cursor, read, maxItems);
  const checkKey = scalarParser({ scalar: field.mapKey });
  return (cursor) => readMap(cursor, read, maxItems, checkKey);
}

/** Returns the reader for the value of a singular field, an element of a list or a value of a map. */
function singleReader(readers: JsonReaders, field: DescField): ValueReader {
  if (field.message) {
    if (holdsPlainObject(field)) return jsonReaders(readers).object;
    const read = readers.message(field.message);
    return holdsBareValue(field) ? (cursor) => (read(cursor) as { value: unknown }).value : read;
  }
  const { style } = readers;
  if (field.enum) return enumReader(field.enum, style);
  return scalarReader(field, style, acceptedIntegers(field, style.annotations));
}

/** Returns undefined for a message whose JSON is an object of its fields (https://protobuf.dev/programming-guides/json/). */
function wellKnownReader(readers: JsonReaders, desc: DescMessage): ValueReader | undefined {
  const form = textForms.get(desc.typeName);
  if (form) {
    const reason = `must be ${form.expected}`;
    return (cursor) => parseForm(form, readText(cursor, reason), desc);
  }
  const inner = wrappedField(desc);
  if (inner) {
    const read = scalarReader(inner, readers.style);
    return (cursor) => Object.assign(createMessage(desc), { value: read(cursor) });
  }
  const kind = jsonKinds[desc.typeName];
  if (kind) {
    const readJson: (cursor: JsonCursor) => JsonValue = jsonReaders(readers)[kind];
    return (cursor) => fromJson(desc, readJson(cursor));
  }
  return desc.typeName === "google.protobuf.Any" ? anyReader(readers, desc) : undefined;
}

/** Returns the readers of the messages whose JSON is any JSON of a kind. Their lists have the bounds of other lists. */
function jsonReaders({ style: { annotations } }: JsonReaders) {
  const { fields } = StructSchema.field;
  const { values } = ListValueSchema.field;
  return jsonValueReaders(maxItemsOf(fields, annotations), maxItemsOf(values, annotations));
}

/** The kinds of JSON by the names of messages. */
const jsonKinds: Readonly<Record<string, "object" | "list" | "value">> = {
  "google.protobuf.Struct": "object",
  "google.protobuf.ListValue": "list",
  "google.protobuf.Value": "value",
};

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
      hasCustomJsonRepresentation(desc)
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
