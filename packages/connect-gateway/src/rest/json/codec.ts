import type { DescField, DescMessage, MessageShape, Registry } from "@bufbuild/protobuf";
import { compileOnce } from "./compile-once.ts";
import { endJson, startJson } from "./cursor.ts";
import { compileReader } from "./reader.ts";
import type { JsonStyle } from "./style.ts";
import { compileWriter, messageWriter } from "./writer.ts";

/** Reads and writes messages as JSON in one style. The code for a type is compiled at its first use and cached. */
export type JsonCodec = ReturnType<typeof createJsonCodec>;

/** Creates a codec. @param registry types that a google.protobuf.Any can hold; none by default */
export function createJsonCodec(style: JsonStyle, registry?: Registry) {
  const readers = compileOnce(style, registry, compileReader);
  const writers = compileOnce(style, registry, compileWriter);
  return {
    style,
    readers,
    writers,
    /**
     * Reads a message.
     *
     * @param json the text, or its UTF-8 bytes
     * @throws InvalidInput that names the field, or the line and column where the text is not JSON
     */
    decodeJson<D extends DescMessage>(desc: D, json: string | Uint8Array): MessageShape<D> {
      const cursor = startJson(json);
      const message = readers.message(desc)(cursor) as MessageShape<D>;
      endJson(cursor);
      return message;
    },
    /** Writes a message without white space. @throws TypeError that names a field whose value its type does not allow */
    encodeJson: <D extends DescMessage>(desc: D, message: MessageShape<D>): string =>
      writers.message(desc)(message),
    /** Compiles a writer of JSON objects with some fields of a message. */
    fieldsWriter: (fields: readonly DescField[]) => messageWriter(writers, fields),
  };
}
