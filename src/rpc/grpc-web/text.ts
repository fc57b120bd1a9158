import { Code, ConnectError } from "@connectrpc/connect";

/** Returns the media type of a base64 body for that of a binary body. */
export function textType(mediaType: string): string {
  return mediaType.replace("grpc-web", "grpc-web-text");
}

/** Returns the length of this many bytes in padded base64. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** Concatenated pieces of padded base64. */
const base64 = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/;

/**
 * Decodes a body in base64. It may consist of pieces that were encoded and padded separately.
 *
 * @throws ConnectError invalid_argument when it is not base64
 */
export function fromBase64(body: Uint8Array): Buffer {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
  if (!base64.test(text)) {
    throw new ConnectError("the request body is not base64", Code.InvalidArgument);
  }
  const pieces = text.match(/[^=]+=*/g) ?? [];
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, "base64")));
}

/** Encodes a piece of a body, padded, so that a client can decode it as soon as it arrives. */
export function toBase64(piece: Uint8Array): Buffer {
  return Buffer.from(Buffer.from(piece).toString("base64"));
}
