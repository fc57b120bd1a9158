import { GrowingBuffer } from "../http/exchange/growing-buffer.ts";
import type { Unread } from "../http/exchange/unread.ts";
import { incomplete, messageLength, prefixBytes } from "./codec.ts";
import { messageTooLarge } from "./limits/size-limit.ts";

/**
 * Yields each envelope of a body when it is complete. The pieces of an incomplete one are joined in one buffer, and it
 * is not examined again before it can be complete. So a client that sends single bytes costs little memory and time.
 *
 * @param unread counts the memory of an incomplete message
 * @throws ConnectError resource_exhausted as soon as the prefix of a message says that it is larger than
 * `maxMessageBytes`; invalid_argument when the body ends within an envelope
 */
export async function* wholeEnvelopes(
  body: AsyncIterable<Uint8Array>,
  maxMessageBytes: number,
  unread?: Unread,
): AsyncGenerator<Uint8Array> {
  const held = new GrowingBuffer(unread);
  let needed = prefixBytes;
  try {
    for await (const piece of body) {
      held.append(piece);
      if (held.length < needed) continue;
      let bytes = held.take();
      for (;;) {
        const length = messageLength(bytes);
        if (length !== undefined && length > maxMessageBytes) {
          throw messageTooLarge(length, maxMessageBytes);
        }
        needed = prefixBytes + (length ?? 0);
        if (bytes.length < needed) break;
        yield bytes.subarray(0, needed);
        bytes = bytes.subarray(needed);
      }
      if (bytes.length > 0) held.append(bytes);
    }
    if (held.length > 0) throw incomplete();
  } finally {
    held.clear();
  }
}
