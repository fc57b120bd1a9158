import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { compressedFlag } from "@connectrpc/connect/protocol";
import { callError } from "../call/call-error.ts";
import type { ContentCoding } from "../http/content/coding.ts";
import { GrowingBuffer } from "../http/exchange/growing-buffer.ts";
import { piecesOf } from "../http/exchange/send-pieces.ts";
import type { Unread } from "../http/exchange/unread.ts";
import type { Packed } from "../http/protocol.ts";
import { withoutEncoding } from "./compression.ts";

/** The length of an envelope's prefix, in bytes: one for flags, four for the length of the message. */
export const prefixBytes = 5;

/**
 * Returns the single message of a call from a body of enveloped messages.
 *
 * @throws ConnectError unimplemented when the body does not have exactly one message, as gRPC requires
 * (https://grpc.github.io/grpc/core/md_doc_statuscodes.html); invalid_argument when the body ends within the message, or its
 * flags are unknown, or it is compressed without a coding; resource_exhausted when the message is larger than `maxBytes`
 */
export function openEnvelope(
  body: Uint8Array,
  maxBytes: number,
  { methodKind }: DescMethod,
  coding: ContentCoding | undefined,
): Packed {
  if (body.length === 0) throw notOne("missing", methodKind);
  const length = messageSize(body);
  if (length === undefined) throw incomplete();
  if (length > maxBytes) throw messageTooLarge(length, maxBytes);
  const end = prefixBytes + length;
  if (body.length < end) throw incomplete();
  if (body.length > end) throw notOne("received extra", methodKind);
  return packed(body, coding);
}

/** Returns the message of an envelope of a stream of requests. @throws ConnectError invalid_argument for its flags or coding */
export function openNext(envelope: Uint8Array, coding: ContentCoding | undefined): Packed {
  checkFlags(envelope[0] ?? 0);
  return packed(envelope, coding);
}

function packed(envelope: Uint8Array, coding: ContentCoding | undefined): Packed {
  const isCompressed = ((envelope[0] ?? 0) & compressedFlag) !== 0;
  if (isCompressed && !coding) throw callError(withoutEncoding, Code.InvalidArgument);
  return { data: envelope.subarray(prefixBytes), coding: isCompressed ? coding : undefined };
}

/** Returns the length of the first message, in bytes; undefined when the prefix is incomplete. */
function messageLength(body: Uint8Array): number | undefined {
  if (body.length < prefixBytes) return undefined;
  return new DataView(body.buffer, body.byteOffset, prefixBytes).getUint32(1);
}

/** Does the same for the message of a unary call. @throws ConnectError invalid_argument when its flags are unknown */
export function messageSize(body: Uint8Array): number | undefined {
  checkFlags(body[0] ?? 0);
  return messageLength(body);
}

/** Wraps a message, or the end of a stream, in an envelope. @param flags 0 to 255 */
export function envelope(flags: number, data: string | Uint8Array): Buffer<ArrayBuffer> {
  const length = Buffer.byteLength(data);
  const bytes = Buffer.allocUnsafe(prefixBytes + length);
  bytes.writeUInt8(flags);
  bytes.writeUInt32BE(length, 1);
  if (typeof data === "string") bytes.write(data, prefixBytes);
  else bytes.set(data, prefixBytes);
  return bytes;
}

/** Does the same in pieces, for a message that is too long to be copied for each response. */
export function* envelopeInPieces(flags: number, data: Uint8Array): Generator<Uint8Array> {
  const prefix = envelope(flags, "");
  prefix.writeUInt32BE(data.length, 1);
  yield prefix;
  yield* piecesOf(data);
}

function incomplete(): ConnectError {
  return callError("protocol error: incomplete envelope", Code.InvalidArgument);
}

function notOne(what: "missing" | "received extra", kind: DescMethod["methodKind"]): ConnectError {
  const method = `${kind.replace("_", "-")} method`;
  return callError(`protocol error: ${what} input message for ${method}`, Code.Unimplemented);
}

/** Checks the flags of an envelope of a request. @throws ConnectError invalid_argument */
function checkFlags(flags: number): void {
  if ((flags & ~compressedFlag) === 0) return;
  throw callError(
    `The flags of a message are ${flags}. They must be 0, or 1 if the message is compressed.`,
    Code.InvalidArgument,
  );
}

/**
 * Yields each envelope of a body when it is complete. The pieces of an incomplete one are joined in one buffer, and it is
 * not examined again before it can be complete. So a client that sends single bytes costs little memory and time.
 *
 * @param unread counts the memory of an incomplete message
 * @throws ConnectError resource_exhausted as soon as the prefix of a message says that it is larger than `maxMessageBytes`;
 * invalid_argument when the body ends within an envelope
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

/** Makes the error for a message over the size limit, with Connect's wording. @param size in bytes, if it is known */
export function messageTooLarge(size: number | undefined, maxBytes: number): ConnectError {
  const known = size === undefined ? "" : ` ${size}`;
  return callError(
    `message size${known} is larger than configured readMaxBytes ${maxBytes}`,
    Code.ResourceExhausted,
  );
}
