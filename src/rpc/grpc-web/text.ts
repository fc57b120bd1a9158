import { Code, ConnectError } from "@connectrpc/connect";

/** The media type of a body in base64, for that of the same in binary. */
export function textType(mediaType: string): string {
  return mediaType.replace("grpc-web", "grpc-web-text");
}

/** How long so many bytes are in base64, padded. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** Base64, padded wherever a client has flushed: four characters are three bytes, or fewer with padding. */
const base64 = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/;

/**
 * Reads a body in base64. It may consist of pieces that were encoded, and padded, by themselves.
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

/** A piece of a body in base64, padded by itself: a client can read it as soon as it is there. */
export function toBase64(piece: Uint8Array): Buffer {
  return Buffer.from(Buffer.from(piece).toString("base64"));
}
