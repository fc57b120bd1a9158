import { create, type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { cacheIfFrozen } from "../http/cache-by-message.ts";

/**
 * Returns a function that encodes a frozen message once, for all streams that send it in binary protobuf.
 *
 * Connect encodes each message of a stream by itself. The function returns a message for Connect whose fields are
 * unknown fields, because protobuf-es copies their bytes as they are. Other messages are returned unchanged.
 */
export function createPreencoder(desc: DescMessage): (message: Message) => Message {
  const encoded = cacheIfFrozen((message: Message) => {
    const { $unknown = [] } = fromBinary(EmptySchema, toBinary(desc, message));
    return Object.assign(create(desc), { $unknown });
  });
  return (message) => (Object.isFrozen(message) ? encoded(message) : message);
}
