import { GrowingBuffer } from "../http/growing-buffer.ts";
import { messageLength, prefixBytes } from "./envelope.ts";

/**
 * Yields a body of enveloped messages in pieces that each end with a message. Connect's decoder allocates a message
 * as soon as it sees its length, keeps every piece, and scans all of them again for each new one. A client that sends
 * single bytes would cost it far too much memory and time.
 *
 * @param maxMessageBytes a longer message is passed on as it is, for the decoder to refuse
 */
export async function* wholeEnvelopes(
  body: AsyncIterable<Uint8Array>,
  maxMessageBytes: number,
): AsyncGenerator<Uint8Array> {
  const held = new GrowingBuffer();
  /** The least that has to be there before there can be anything to pass on. */
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

/** Yields a body as one piece. Of a body longer than `maxBytes`, yields enough for the decoder to refuse it. */
export async function* wholeBody(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const held = new GrowingBuffer();
  for await (const piece of body) {
    held.append(piece);
    if (held.length > maxBytes) yield held.take();
  }
  if (held.length > 0) yield held.take();
}
