import { type DescMessage, type Message, type Registry, toBinary } from "@bufbuild/protobuf";
import { InvalidInput } from "./invalid-input.ts";
import { type JsonCursor, jsonChar, mismatch, nextChar } from "./json-cursor.ts";
import { type JsonReaders, messageReader, nothingBound } from "./json-message-reader.ts";
import type { ValueReader } from "./json-scalar-reader.ts";
import { readJsonValue, readMembers } from "./json-value.ts";
import { createMessage } from "./message-field.ts";
import { hasOwnJson } from "./well-known-text.ts";

/**
 * Compiles the reader for google.protobuf.Any: an object of the fields of the message in it, or its
 * `value` where that is no object of fields, besides the `@type`. An empty object is an Any of nothing.
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
    const desc = typeBehind(typeUrl, readers.registry);
    cursor.at = start;
    const message = readerFor(desc)(cursor) as Message;
    return Object.assign(createMessage(any), { typeUrl, value: toBinary(desc, message) });
  };
}

/** Reads over an object. @returns its `@type`, wherever it stands; "" when the object is empty */
function findType(cursor: JsonCursor): string {
  let type: unknown = "";
  let isEmpty = true;
  readMembers(cursor, (name) => {
    const value = readJsonValue(cursor);
    isEmpty = false;
    if (name === "@type") type = value;
  });
  if (typeof type !== "string" || (type === "" && !isEmpty)) {
    throw new InvalidInput("must be the type of the message, in a string", "@type");
  }
  return type;
}

function typeBehind(typeUrl: string, registry: Registry | undefined): DescMessage {
  const desc = registry?.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
  if (!desc) throw new InvalidInput("is not a type that is known here", "@type");
  return desc;
}

function valueReader(readers: JsonReaders, desc: DescMessage): ValueReader {
  const read = readers.message(desc);
  return (cursor) => {
    let message: unknown;
    const seen = new Set<string>();
    readMembers(cursor, (name) => {
      if (seen.has(name)) throw new InvalidInput("given twice");
      seen.add(name);
      if (name === "value") message = read(cursor);
      else if (name === "@type") readJsonValue(cursor);
      else throw new InvalidInput("no such field; known here: value");
    });
    if (message === undefined) throw new InvalidInput("is required", "value");
    return message;
  };
}
