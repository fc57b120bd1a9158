import { GrowingBuffer } from "../http/growing-buffer.ts";
import { messageLength, prefixBytes } from "./envelope.ts";

/**
 * Yields a body of enveloped messages in pieces that each end with a message. Connect's decoder allocates memory for a
 * message as soon as it reads the length, keeps every piece, and scans all of them again for each new one. A client
 * that sends single bytes would cost it far too much memory and time.
 *
 * @param maxMessageBytes a longer message is passed on in pieces, for the decoder to reject
 */
export async function* wholeEnvelopes(
  body: AsyncIterable<Uint8Array>,
  maxMessageBytes: number,
): AsyncGenerator<Uint8Array> {
  const held = new GrowingBuffer();
  /** Bytes to collect before there can be a whole envelope. */
  let needed = prefixBytes;
  for await (const piece of body) {
    held.append(piece);
    if (held.length < needed) continue;
    const bytes = held.take();
    let end = 0;
    needed = prefixBytes;
    for (;;) {
      const length = messageLength(bytes.subarray(end));
      if (length === undefined) break;
      const next = length > maxMessageBytes ? bytes.length : end + prefixBytes + length;
      if (next > bytes.length) {
        needed = next - end;
        break;
      }
      end = next;
    }
    if (end > 0) yield bytes.subarray(0, end);
    if (end < bytes.length) held.append(bytes.subarray(end));
  }
  if (held.length > 0) yield held.take();
}
