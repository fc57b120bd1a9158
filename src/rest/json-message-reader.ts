import type { DescField, DescMessage, Registry } from "@bufbuild/protobuf";
import { InvalidInput, within } from "./invalid-input.ts";
import { anyReader } from "./json-any-reader.ts";
import {
  enter,
  goOn,
  type JsonCursor,
  jsonChar,
  mismatch,
  nextChar,
  readName,
  readWord,
} from "./json-cursor.ts";
import type { JsonDialect } from "./json-dialect.ts";
import { fieldReader } from "./json-field-reader.ts";
import type { ValueReader } from "./json-scalar-reader.ts";
import { readJsonValue } from "./json-value.ts";
import { wellKnownReader } from "./json-well-known-reader.ts";
import {
  type AnyMessage,
  createMessage,
  fieldsByName,
  fieldsInJson,
  setField,
} from "./message-field.ts";

/** Readers of messages in one dialect, each compiled once. */
export interface JsonReaders {
  readonly dialect: JsonDialect;
  /** Types that a google.protobuf.Any can hold. */
  readonly registry: Registry | undefined;
  /** The reader for a message. */
  readonly message: (desc: DescMessage) => ValueReader;
}

/** Fields of a message that have got their value elsewhere. */
export interface BoundFields {
  /** By field: index into the cursor's bound values. */
  readonly values: ReadonlyMap<DescField, number>;
  /** By message field: the fields inside it. */
  readonly inner: ReadonlyMap<DescField, BoundFields>;
}

/** For messages that no value is bound to. */
export const nothingBound: BoundFields = { values: new Map(), inner: new Map() };

/** Makes readers. @param registry types that a google.protobuf.Any can hold */
export function createReaders(dialect: JsonDialect, registry: Registry | undefined): JsonReaders {
  const compiled = new WeakMap<DescMessage, ValueReader>();
  const readers: JsonReaders = {
    dialect,
    registry,
    message(desc) {
      const known = compiled.get(desc);
      if (known) return known;
      // A message can contain itself, so there has to be a reader before there is one.
      compiled.set(desc, (cursor) => readers.message(desc)(cursor));
      const read = readerFor(readers, desc);
      compiled.set(desc, read);
      return read;
    },
  };
  return readers;
}

function readerFor(readers: JsonReaders, desc: DescMessage): ValueReader {
  if (desc.typeName === "google.protobuf.Any") return anyReader(readers, desc);
  return wellKnownReader(readers, desc) ?? messageReader(readers, desc, nothingBound);
}

interface Member {
  readonly index: number;
  readonly read: (cursor: JsonCursor, message: AnyMessage) => void;
}

/**
 * Compiles a reader for a message that is an object in JSON.
 *
 * @param bound fields that have a value already: in the text they may only repeat it
 * @param ignored name of a member that is no field, and is read over
 */
export function messageReader(
  readers: JsonReaders,
  desc: DescMessage,
  bound: BoundFields,
  ignored?: string,
): ValueReader {
  const fields = fieldsInJson(desc);
  const byField = new Map<DescField, Member>();
  for (const [index, field] of fields.entries()) {
    byField.set(field, { index, read: memberReader(readers, field, bound) });
  }
  const members = new Map<string, Member | undefined>();
  for (const [name, field] of fieldsByName(desc)) members.set(name, byField.get(field));
  if (ignored !== undefined) members.set(ignored, { index: fields.length, read: readJsonValue });
  const names = fields.map(({ jsonName }) => jsonName).join(", ");
  const unknown = `no such field; known here: ${names || "none"}`;
  return (cursor) => {
    if (nextChar(cursor) !== jsonChar.openBrace) throw mismatch(cursor, "must be a JSON object");
    const message = createMessage(desc);
    if (!enter(cursor, jsonChar.closeBrace)) return message;
    const seen: boolean[] = [];
    let name = "";
    try {
      do {
        name = readName(cursor);
        const member = members.get(name);
        if (!member) throw new InvalidInput(unknown);
        if (seen[member.index]) throw new InvalidInput("given twice");
        seen[member.index] = true;
        member.read(cursor, message);
        name = "";
      } while (goOn(cursor, jsonChar.closeBrace));
    } catch (error) {
      throw within(name, error);
    }
    return message;
  };
}

function memberReader(readers: JsonReaders, field: DescField, bound: BoundFields): Member["read"] {
  const { localName, oneof } = field;
  const read = boundReader(readers, field, bound);
  const skipNull = readers.dialect.nullIsAbsent && !takesNull(field);
  return (cursor, message) => {
    if (skipNull && nextChar(cursor) === jsonChar.n) readWord(cursor, "null");
    else if (oneof) setField(message, field, read(cursor));
    else message[localName] = read(cursor);
  };
}

/** Whether `null` is a value of the field. */
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
      throw new InvalidInput("differs from its value in the path; leave it out");
    }
    return value;
  };
}

function isSame(a: unknown, b: unknown): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return Object.is(a, b);
}
