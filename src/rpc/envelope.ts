import { Code, ConnectError } from "@connectrpc/connect";
import { compressedFlag } from "@connectrpc/connect/protocol";
import { piecesOf } from "../http/exchange/send-pieces.ts";
import { messageTooLarge } from "./limits/size-limit.ts";
import type { Packed } from "./unary-protocol.ts";

/** The length of an envelope's prefix, in bytes: one for flags, four for the length of the message. */
export const prefixBytes = 5;

/**
 * Returns the single message of a unary call from a body of enveloped messages.
 *
 * @throws ConnectError unimplemented when the body does not have exactly one message, as gRPC requires
 * (https://grpc.github.io/grpc/core/md_doc_statuscodes.html); invalid_argument when the body ends within the message;
 * resource_exhausted when the message is larger than `maxBytes`
 */
export function openEnvelope(body: Uint8Array, maxBytes: number): Packed<Uint8Array> {
  if (body.length === 0) throw notOne("missing");
  const length = messageLength(body);
  if (length === undefined) throw incomplete();
  if (length > maxBytes) throw messageTooLarge(length, maxBytes);
  const end = prefixBytes + length;
  if (body.length < end) throw incomplete();
  if (body.length > end) throw notOne("received extra");
  return {
    data: body.subarray(prefixBytes),
    isCompressed: ((body[0] ?? 0) & compressedFlag) !== 0,
  };
}

/** Returns the length of the first message, in bytes; undefined when the prefix is incomplete. */
export function messageLength(body: Uint8Array): number | undefined {
  if (body.length < prefixBytes) return undefined;
  return new DataView(body.buffer, body.byteOffset, prefixBytes).getUint32(1);
}

/** Wraps a message, or the end of a stream, in an envelope. @param flags 0 to 255 */
export function envelope(flags: number, data: string | Uint8Array): Buffer<ArrayBuffer> {
  const length = Buffer.byteLength(data);
  const bytes = Buffer.allocUnsafe(prefixBytes + length);
  writePrefix(bytes, flags, length);
  if (typeof data === "string") bytes.write(data, prefixBytes);
  else bytes.set(data, prefixBytes);
  return bytes;
}

/** Does the same in pieces, for a message that is too long to be copied for each response. */
export function* envelopeInPieces(flags: number, data: Uint8Array): Generator<Uint8Array> {
  const prefix = Buffer.allocUnsafe(prefixBytes);
  writePrefix(prefix, flags, data.length);
  yield prefix;
  yield* piecesOf(data);
}

function writePrefix(bytes: Buffer, flags: number, length: number): void {
  bytes.writeUInt8(flags);
  bytes.writeUInt32BE(length, 1);
}

/** Returns the flags of a message's envelope. */
export function flagsOf({ isCompressed }: Packed): number {
  return isCompressed ? compressedFlag : 0;
}

function incomplete(): ConnectError {
  return new ConnectError("protocol error: incomplete envelope", Code.InvalidArgument);
}

function notOne(what: "missing" | "received extra"): ConnectError {
  return new ConnectError(
    `protocol error: ${what} input message for unary method`,
    Code.Unimplemented,
  );
}
