import type { DescMessage, MessageShape, Registry } from "@bufbuild/protobuf";
import { endJson, startJson } from "./json-cursor.ts";
import { httpJsonDialect, type JsonDialect, protoJsonDialect } from "./json-dialect.ts";
import { createReaders, type JsonReaders } from "./json-message-reader.ts";
import { createWriters, type JsonWriters } from "./json-message-writer.ts";

/** JSON in one dialect. Readers and writers are compiled at the first use of a type, then kept. */
export interface JsonForm {
  readonly dialect: JsonDialect;
  readonly readers: JsonReaders;
  readonly writers: JsonWriters;
  /**
   * Reads a message.
   *
   * @param json the text, or its UTF-8 bytes
   * @throws InvalidInput that names the field, or the place of what is not JSON
   */
  decodeJson<D extends DescMessage>(desc: D, json: string | Uint8Array): MessageShape<D>;
  /**
   * Writes a message, without white space.
   *
   * @throws TypeError when a field holds what its type can't hold
   */
  encodeJson<D extends DescMessage>(desc: D, message: MessageShape<D>): string;
}

/** Makes a form. @param registry types that a google.protobuf.Any can hold; without it none */
export function createJsonForm(dialect: JsonDialect, registry?: Registry): JsonForm {
  const readers = createReaders(dialect, registry);
  const writers = createWriters(dialect, registry);
  return {
    dialect,
    readers,
    writers,
    decodeJson<D extends DescMessage>(desc: D, json: string | Uint8Array) {
      const cursor = startJson(json);
      const message = readers.message(desc)(cursor) as MessageShape<D>;
      endJson(cursor);
      return message;
    },
    encodeJson: (desc, message) => writers.message(desc)(message),
  };
}

/** ProtoJSON. */
export const protoJson: JsonForm = createJsonForm(protoJsonDialect);

/** The JSON of an HTTP interface made for people. */
export const httpJson: JsonForm = createJsonForm(httpJsonDialect);
