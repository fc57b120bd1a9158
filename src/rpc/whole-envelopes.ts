import { GrowingBuffer } from "../http/exchange/growing-buffer.ts";
import type { Unread } from "../http/exchange/unread.ts";
import { messageLength, prefixBytes } from "./codec.ts";

/**
 * Yields a body of enveloped messages in pieces that each end with a message. Connect's decoder allocates memory for a
 * message as soon as it reads the length, keeps every piece, and scans all of them again for each new one. A client
 * that sends single bytes would cost it far too much memory and time.
 *
 * @param maxMessageBytes a longer message is passed on in pieces, for the decoder to reject
 * @param unread counts the memory of incomplete messages
 */
export async function* wholeEnvelopes(
  body: AsyncIterable<Uint8Array>,
  maxMessageBytes: number,
  unread?: Unread,
): AsyncGenerator<Uint8Array> {
  const held = new GrowingBuffer(unread);
  /** Bytes to collect before there can be a whole envelope. */
  let needed = prefixBytes;
  try {
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
  } finally {
    held.clear();
  }
}

/**
 * Yields each message of {@link wholeEnvelopes} by itself.
 *
 * @param prepare called with each complete envelope. Its result is yielded instead
 */
export async function* preparedEnvelopes(
  envelopes: AsyncIterable<Uint8Array>,
  maxMessageBytes: number,
  prepare: (envelope: Uint8Array) => Uint8Array | Promise<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of envelopes) {
    let start = 0;
    while (start < bytes.length) {
      const rest = bytes.subarray(start);
      const length = messageLength(rest) ?? Number.POSITIVE_INFINITY;
      const end = prefixBytes + length;
      if (length > maxMessageBytes || end > rest.length) {
        // For the decoder to reject.
        yield rest;
        break;
      }
      const prepared = prepare(rest.subarray(0, end));
      yield prepared instanceof Promise ? await prepared : prepared;
      start += end;
    }
  }
}
