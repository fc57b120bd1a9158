import { create, type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { cacheIfFrozen } from "../http/content/cache-by-message.ts";

/** A message that is ready for a stream. */
export interface Preencoded {
  /** The message to send in binary protobuf. */
  readonly message: Message;
  /** Its size in binary protobuf; 0 if it is not frozen, since such messages are short. In bytes. */
  readonly bytes: number;
}

/**
 * Returns a function that encodes a frozen message once, for all streams that send it in binary protobuf.
 *
 * Connect encodes each message of a stream by itself. The function returns a message for Connect whose fields are
 * unknown fields, because protobuf-es copies their bytes as they are. Other messages are returned unchanged.
 */
export function createPreencoder(desc: DescMessage): (message: Message) => Preencoded {
  const encoded = cacheIfFrozen((message: Message) => {
    const binary = toBinary(desc, message);
    const { $unknown = [] } = fromBinary(EmptySchema, binary);
    return { message: Object.assign(create(desc), { $unknown }), bytes: binary.length };
  });
  return (message) => (Object.isFrozen(message) ? encoded(message) : { message, bytes: 0 });
}
