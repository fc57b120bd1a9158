import { Code } from "@connectrpc/connect";
import { callError } from "../../call/call-error.ts";

/** How a body of enveloped messages is encoded. */
export interface BodyForm {
  /** Returns the length of this many bytes when they are encoded. */
  length(bytes: number): number;
  /** @throws ConnectError invalid_argument when the body is malformed */
  decode(body: Uint8Array): Uint8Array;
  decodePieces(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Encodes a piece of a body, so that a client can decode it as soon as it arrives. */
  encode(piece: Uint8Array): Uint8Array;
}

export const plain: BodyForm = {
  length: (bytes) => bytes,
  decode: (body) => body,
  decodePieces: (body) => body,
  encode: (piece) => piece,
};

export const base64: BodyForm = {
  length: (bytes) => Math.ceil(bytes / 3) * 4,
  decode: fromBase64,
  decodePieces: fromBase64Pieces,
  encode: (piece) => Buffer.from(Buffer.from(piece).toString("base64")),
};

/** Concatenated pieces of padded base64. */
const pattern = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/;

/** Decodes base64, also of pieces that were padded separately. @throws ConnectError invalid_argument when it is not base64 */
export function fromBase64(body: Uint8Array): Buffer {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
  if (!pattern.test(text)) throw callError("the request body is not base64", Code.InvalidArgument);
  const padding = text.indexOf("=");
  return padding < 0 || padding >= text.length - 2 ? Buffer.from(text, "base64") : fromPieces(text);
}

/** Decodes a body in base64 as it arrives. @throws ConnectError invalid_argument when it is not base64 */
export async function* fromBase64Pieces(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const piece of body) {
    const text = Buffer.concat([rest, piece]);
    const whole = text.length - (text.length % 4);
    yield fromBase64(text.subarray(0, whole));
    rest = text.subarray(whole);
  }
  yield fromBase64(rest);
}

/** Decodes all pieces at once, because a body can have very many of them, and removes the bytes of their padding. */
function fromPieces(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll("=", "A"), "base64");
  let length = 0;
  for (let at = 0, from = 0; at < text.length; at += 4, from += 3) {
    const count = text[at + 2] === "=" ? 1 : text[at + 3] === "=" ? 2 : 3;
    bytes.copyWithin(length, from, from + count);
    length += count;
  }
  return bytes.subarray(0, length);
}
