import type { DescField, DescMessage, Registry } from "@bufbuild/protobuf";
import { quote } from "../../call/quote.ts";
import { InvalidInput, within } from "../../http/invalid-input.ts";
import {
  type AnyMessage,
  createMessage,
  fieldsByName,
  fieldsInJson,
  setField,
} from "../binding/message-field.ts";
import { compileOnce } from "./compile-once.ts";
import {
  enter,
  goOn,
  type JsonCursor,
  jsonChar,
  mismatch,
  nextChar,
  readName,
  readWord,
} from "./cursor.ts";
import { fieldReader } from "./field-reader.ts";
import type { ValueReader } from "./scalar-reader.ts";
import type { JsonStyle } from "./style.ts";
import { skipJsonValue } from "./value.ts";
import { wellKnownReader } from "./well-known-reader.ts";

/** Readers of messages in one style. Each is compiled once. */
export interface JsonReaders {
  readonly style: JsonStyle;
  /** Types that a google.protobuf.Any can hold. */
  readonly registry: Registry | undefined;
  /** The reader for a message. */
  readonly message: (desc: DescMessage) => ValueReader;
}

/** Fields of a message that other parts of the request have set. */
export interface BoundFields {
  /** By field: index into the cursor's bound values. */
  readonly values: ReadonlyMap<DescField, number>;
  /** By message field: the fields inside it. */
  readonly inner: ReadonlyMap<DescField, BoundFields>;
}

/** For messages without such fields. */
export const nothingBound: BoundFields = { values: new Map(), inner: new Map() };

/** Creates readers. @param registry types that a google.protobuf.Any can hold */
export function createReaders(style: JsonStyle, registry: Registry | undefined): JsonReaders {
  const readers: JsonReaders = {
    style,
    registry,
    message: compileOnce(
      (desc) => wellKnownReader(readers, desc) ?? messageReader(readers, desc, nothingBound),
    ),
  };
  return readers;
}

interface Member {
  readonly index: number;
  /** The name of the field in an error; undefined for the name that was sent. */
  readonly name: string | undefined;
  readonly read: (cursor: JsonCursor, message: AnyMessage) => void;
}

/**
 * Compiles the reader for a message that is an object in JSON.
 *
 * @param bound fields that other parts of the request have set: in the text they must have the same value
 * @param ignored name of a member to skip
 */
export function messageReader(
  readers: JsonReaders,
  desc: DescMessage,
  bound: BoundFields,
  ignored?: string,
): ValueReader {
  const { annotations, ignoreUnknown, protoPaths } = readers.style;
  const fields = fieldsInJson(desc, annotations);
  const byField = new Map<DescField, Member>();
  for (const [index, field] of fields.entries()) {
    const name = protoPaths ? field.name : undefined;
    byField.set(field, { index, name, read: memberReader(readers, field, bound) });
  }
  const members = new Map<string, Member | undefined>();
  for (const [name, field] of fieldsByName(desc, annotations))
    members.set(name, byField.get(field));
  if (ignored !== undefined) {
    members.set(ignored, { index: fields.length, name: undefined, read: skipJsonValue });
  }
  const names = fields.map(({ jsonName }) => jsonName).join(", ");
  const unknown = names
    ? `unknown field; use one of ${names}`
    : "unknown field; this message has no fields";
  return (cursor) => {
    if (nextChar(cursor) !== jsonChar.openBrace) throw mismatch(cursor, "must be a JSON object");
    const message = createMessage(desc);
    if (!enter(cursor, jsonChar.closeBrace)) return message;
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
      } while (goOn(cursor, jsonChar.closeBrace));
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
    if (skipNull && nextChar(cursor) === jsonChar.n) readWord(cursor, "null");
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
