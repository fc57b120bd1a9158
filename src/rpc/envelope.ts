import { Code, ConnectError } from "@connectrpc/connect";
import { compressedFlag } from "@connectrpc/connect/protocol";
import { piecesOf } from "../http/send-pieces.ts";
import type { Packed } from "./dialect.ts";
import { messageTooLarge } from "./size-limit.ts";

/** Flags, and the length of the message: what stands before a message in a body of messages. */
export const prefixBytes = 5;

/**
 * Takes the one message of a unary call out of a body of enveloped messages.
 *
 * @throws ConnectError unimplemented when there is none, or more than one, as gRPC wants it
 * (https://grpc.github.io/grpc/core/md_doc_statuscodes.html); invalid_argument when the body ends before
 * the message does; resource_exhausted when the message is larger than `maxBytes`
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

/** The length of a message by its prefix, in bytes; undefined when the prefix is not whole. */
export function messageLength(body: Uint8Array): number | undefined {
  if (body.length < prefixBytes) return undefined;
  return new DataView(body.buffer, body.byteOffset, prefixBytes).getUint32(1);
}

/** Puts a message, or what ends a stream, into an envelope. @param flags 0 to 255 */
export function envelope(flags: number, data: string | Uint8Array): Buffer<ArrayBuffer> {
  const length = Buffer.byteLength(data);
  const bytes = Buffer.allocUnsafe(prefixBytes + length);
  writePrefix(bytes, flags, length);
  if (typeof data === "string") bytes.write(data, prefixBytes);
  else bytes.set(data, prefixBytes);
  return bytes;
}

/** The same for a message that is too long to be copied for each response. */
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

/** Flags of a message's envelope. */
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
