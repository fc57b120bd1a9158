import type { DescField, DescMessage, Registry } from "@bufbuild/protobuf";
import { acceptedIntegers } from "../../call/integer-range.ts";
import { maxItemsOf, tooManyItems } from "../../call/list-limits.ts";
import { quote } from "../../call/quote.ts";
import { InvalidInput, OutOfBounds, within } from "../../http/invalid-input.ts";
import {
  type AnyMessage,
  createMessage,
  fieldsByName,
  fieldsInJson,
  setField,
} from "../binding/message-field.ts";
import { scalarParser } from "../binding/scalar-text.ts";
import { type Compiled, compileOnce } from "./compile-once.ts";
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
import { enumReader, scalarReader, type ValueReader } from "./scalar-reader.ts";
import type { JsonStyle } from "./style.ts";
import { readElements, readMembers, setOwn, skipJsonValue } from "./value.ts";
import { wellKnownFieldReader, wellKnownReader } from "./well-known-reader.ts";

/** Readers of messages in one style. */
export type JsonReaders = Compiled<ValueReader>;

/** Fields of a message that other parts of the request have set. */
export interface BoundFields {
  /** By field: index into the cursor's bound values. */
  readonly values: Map<DescField, number>;
  /** By message field: the fields inside it. */
  readonly inner: Map<DescField, BoundFields>;
}

/** Returns a record of no such fields. */
export function noFields(): BoundFields {
  return { values: new Map(), inner: new Map() };
}

/** For messages without such fields. */
export const nothingBound = noFields();

/** Creates readers. @param registry types that a google.protobuf.Any can hold */
export function createReaders(style: JsonStyle, registry: Registry | undefined): JsonReaders {
  return compileOnce(style, registry, (readers: JsonReaders, desc) => {
    return wellKnownReader(readers, desc) ?? messageReader(readers, desc, nothingBound);
  });
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

/** Compiles the reader for the value of a field: an array if it is repeated, an object if it is a map. */
export function fieldReader(readers: JsonReaders, field: DescField): ValueReader {
  const { annotations } = readers.style;
  switch (field.fieldKind) {
    case "list":
      return listReader(singleReader(readers, field), maxItemsOf(field, annotations));
    case "map":
      return mapReader(
        scalarParser(field.mapKey, false),
        singleReader(readers, field),
        maxItemsOf(field, annotations),
      );
    default:
      return singleReader(readers, field);
  }
}

/** Returns the reader for the value of a singular field, an element of a list or a value of a map. */
function singleReader(readers: JsonReaders, field: DescField): ValueReader {
  if (field.message) {
    return wellKnownFieldReader(readers, field) ?? readers.message(field.message);
  }
  if (field.enum) return enumReader(field.enum, readers.style);
  const longAsString = field.fieldKind !== "map" && field.longAsString;
  const { style } = readers;
  const accepted = acceptedIntegers(field, style.annotations);
  return scalarReader(field.scalar, longAsString, style, accepted);
}

function listReader(readElement: ValueReader, maxItems: number): ValueReader {
  return (cursor) => {
    const list: unknown[] = [];
    readElements(cursor, () => list.push(readElement(cursor)), maxItems);
    return list;
  };
}

function mapReader(
  checkKey: (text: string) => unknown,
  readValue: ValueReader,
  maxItems: number,
): ValueReader {
  return (cursor) => {
    const map: Record<string, unknown> = {};
    let count = 0;
    readMembers(cursor, (key) => {
      if (++count > maxItems) throw new OutOfBounds(tooManyItems(maxItems));
      checkKey(key);
      if (Object.hasOwn(map, key)) throw new InvalidInput("is given twice; send it once");
      setOwn(map, key, readValue(cursor));
    });
    return map;
  };
}
