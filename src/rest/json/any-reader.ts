import { type DescMessage, type Message, type Registry, toBinary } from "@bufbuild/protobuf";
import { InvalidInput } from "../../http/invalid-input.ts";
import { createMessage } from "../binding/message-field.ts";
import { hasOwnJson } from "../binding/well-known-text.ts";
import { type JsonCursor, jsonChar, mismatch, nextChar } from "./cursor.ts";
import { type JsonReaders, messageReader, nothingBound } from "./message-reader.ts";
import type { ValueReader } from "./scalar-reader.ts";
import { readJsonValue, readMembers } from "./value.ts";

/**
 * Compiles the reader for google.protobuf.Any. Its JSON is an object with `@type` and the fields of the
 * message, or `value` if the JSON of that message is not an object of its fields. `{}` is an empty Any.
 *
 * @see google/protobuf/any.proto
 */
export function anyReader(readers: JsonReaders, any: DescMessage): ValueReader {
  const compiled = new Map<DescMessage, ValueReader>();
  const readerFor = (desc: DescMessage) =>
    compiled.getOrInsertComputed(desc, () =>
      hasOwnJson(desc)
        ? valueReader(readers, desc)
        : messageReader(readers, desc, nothingBound, "@type"),
    );
  return (cursor) => {
    if (nextChar(cursor) !== jsonChar.openBrace) throw mismatch(cursor, "must be a JSON object");
    const start = cursor.at;
    const typeUrl = findType(cursor);
    if (typeUrl === "") return createMessage(any);
    const desc = typeOf(typeUrl, readers.registry);
    cursor.at = start;
    const message = readerFor(desc)(cursor) as Message;
    return Object.assign(createMessage(any), { typeUrl, value: toBinary(desc, message) });
  };
}

/** Skips an object. @returns its `@type`, at any position; "" when the object is empty */
function findType(cursor: JsonCursor): string {
  let type: unknown = "";
  let isEmpty = true;
  readMembers(cursor, (name) => {
    const value = readJsonValue(cursor);
    isEmpty = false;
    if (name === "@type") type = value;
  });
  if (typeof type !== "string" || (type === "" && !isEmpty)) {
    throw new InvalidInput("must be a string: the type URL of the message", "@type");
  }
  return type;
}

function typeOf(typeUrl: string, registry: Registry | undefined): DescMessage {
  const desc = registry?.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
  if (!desc) throw new InvalidInput("is not a known message type", "@type");
  return desc;
}

function valueReader(readers: JsonReaders, desc: DescMessage): ValueReader {
  const read = readers.message(desc);
  return (cursor) => {
    let message: unknown;
    const seen = new Set<string>();
    readMembers(cursor, (name) => {
      if (seen.has(name)) throw new InvalidInput("is given twice; send it once");
      seen.add(name);
      if (name === "value") message = read(cursor);
      else if (name === "@type") readJsonValue(cursor);
      else throw new InvalidInput("unknown field; use value");
    });
    if (message === undefined) throw new InvalidInput("is required", "value");
    return message;
  };
}
