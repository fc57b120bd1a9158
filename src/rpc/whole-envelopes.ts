import { GrowingBuffer } from "../http/growing-buffer.ts";
import { messageLength, prefixBytes } from "./envelope.ts";

/**
 * Passes on a body of enveloped messages in pieces that each end with a message. Connect's decoder makes room
 * for a message as soon as it sees its length, keeps every piece that it is given, and looks at all of them
 * again with each further one: a client that sends single bytes would make it hold and do far too much.
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

/** Passes on a body as one piece, or as much of it as shows that it is longer than `maxBytes`. */
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
