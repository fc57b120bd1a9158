import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { type Annotations, noAnnotations } from "../annotations.ts";
import { endJson, startJson } from "./cursor.ts";
import { createReaders } from "./message-reader.ts";
import { createWriters } from "./message-writer.ts";

/** Reads and writes messages as JSON. The code for a type is compiled at its first use and cached. */
export type JsonCodec = ReturnType<typeof createJsonCodec>;

/**
 * Creates a codec. It follows ProtoJSON (https://protobuf.dev/programming-guides/json/), except that 64-bit integers are JSON
 * integers, enum values have short names such as `available` for PET_STATUS_AVAILABLE, fields without presence are always
 * sent, and `null` is an error. It does not support google.protobuf.Any, Struct,
 * Value, ListValue and the wrappers.
 *
 * @param annotations what the contract's own options say
 */
export function createJsonCodec(annotations: Annotations = noAnnotations) {
  const readers = createReaders(annotations);
  const writers = createWriters(annotations);
  return {
    annotations,
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
    /**
     * Writes a message without white space.
     *
     * @throws TypeError when a field holds a value that its type does not allow
     */
    encodeJson: <D extends DescMessage>(desc: D, message: MessageShape<D>): string =>
      writers.message(desc)(message),
  };
}
