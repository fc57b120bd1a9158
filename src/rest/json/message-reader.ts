import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { textForms } from "../../http/content/text-forms.ts";
import { InvalidInput, within } from "../../http/invalid-input.ts";
import type { Annotations } from "../annotations.ts";
import {
  type AnyMessage,
  createMessage,
  fieldsByName,
  fieldsInJson,
  rejectUnsupported,
  setField,
} from "../binding/message-field.ts";
import { compileOnce } from "./compile-once.ts";
import { enter, goOn, type JsonCursor, jsonChar, mismatch, nextChar, readName } from "./cursor.ts";
import { fieldReader } from "./field-reader.ts";
import { readText, type ValueReader } from "./scalar-reader.ts";

/** Readers of messages. Each is compiled once. */
export interface JsonReaders {
  readonly annotations: Annotations;
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
const nothingBound: BoundFields = { values: new Map(), inner: new Map() };

/** Creates readers. */
export function createReaders(annotations: Annotations): JsonReaders {
  const readers: JsonReaders = {
    annotations,
    message: compileOnce(
      (desc) => textFormReader(desc) ?? messageReader(readers, desc, nothingBound),
    ),
  };
  return readers;
}

/** Compiles the reader for a message whose JSON is a text. @returns undefined for other messages */
function textFormReader(desc: DescMessage): ValueReader | undefined {
  const form = textForms.get(desc.typeName);
  if (!form) return undefined;
  const reason = `must be ${form.expected}`;
  return (cursor) => {
    const message = form.parse(readText(cursor, reason), desc);
    if (!message) throw new InvalidInput(reason);
    return message;
  };
}

interface Member {
  readonly index: number;
  readonly read: (cursor: JsonCursor, message: AnyMessage) => void;
}

/**
 * Compiles the reader for a message that is an object in JSON.
 *
 * @param bound fields that other parts of the request have set: in the text they must have the same value
 * @throws Error for a message that the transcoder does not support
 */
export function messageReader(
  readers: JsonReaders,
  desc: DescMessage,
  bound: BoundFields,
): ValueReader {
  rejectUnsupported(desc);
  const { annotations } = readers;
  const fields = fieldsInJson(desc, annotations);
  const byField = new Map<DescField, Member>();
  for (const [index, field] of fields.entries()) {
    byField.set(field, { index, read: memberReader(readers, field, bound) });
  }
  const members = new Map<string, Member | undefined>();
  for (const [name, field] of fieldsByName(desc, annotations))
    members.set(name, byField.get(field));
  const names = fields.map(({ jsonName }) => jsonName).join(", ");
  const unknown = names
    ? `unknown field; use one of ${names}`
    : "unknown field; this message has no fields";
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
        if (seen[member.index]) throw new InvalidInput("is given twice; send it once");
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
  return (cursor, message) => {
    if (oneof) setField(message, field, read(cursor));
    else message[localName] = read(cursor);
  };
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
