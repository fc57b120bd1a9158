import type { DescField, DescMessage, MessageShape, Registry } from "@bufbuild/protobuf";
import { compileOnce } from "./compile-once.ts";
import { endJson, startJson } from "./cursor.ts";
import { compileReader, type JsonReaders } from "./reader.ts";
import type { JsonStyle } from "./style.ts";
import { compileWriter, type JsonWriters, messageWriter, type ValueWriter } from "./writer.ts";

/** Reads and writes messages as JSON in one style. The code for a type is compiled at its first use and cached. */
export interface JsonCodec {
  readonly style: JsonStyle;
  readonly readers: JsonReaders;
  readonly writers: JsonWriters;
  /**
   * Reads a message.
   *
   * @param json the text, or its UTF-8 bytes
   * @throws InvalidInput that names the field, or the line and column where the text is not JSON
   */
  decodeJson<D extends DescMessage>(desc: D, json: string | Uint8Array): MessageShape<D>;
  /** Writes a message without white space. @throws TypeError that names a field whose value its type does not allow */
  encodeJson<D extends DescMessage>(desc: D, message: MessageShape<D>): string;
  /** Compiles a writer of JSON objects with some fields of a message. */
  fieldsWriter(fields: readonly DescField[]): ValueWriter;
}

/** Creates a codec. @param registry types that a google.protobuf.Any can hold; none by default */
export function createJsonCodec(style: JsonStyle, registry?: Registry): JsonCodec {
  const readers = compileOnce(style, registry, compileReader);
  const writers = compileOnce(style, registry, compileWriter);
  return {
    style,
    readers,
    writers,
    decodeJson<D extends DescMessage>(desc: D, json: string | Uint8Array) {
      const cursor = startJson(json);
      const message = readers.message(desc)(cursor) as MessageShape<D>;
      endJson(cursor);
      return message;
    },
    encodeJson: (desc, message) => writers.message(desc)(message),
    fieldsWriter: (fields) => messageWriter(writers, fields),
  };
}
