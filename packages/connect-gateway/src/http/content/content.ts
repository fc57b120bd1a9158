import { getOrInsert } from "../../call/get-or-insert.ts";
import { type ContentCoding, worthCompressing } from "./coding.ts";

/** A body. Several bodies can share the same pieces. */
export type Body = string | Uint8Array | readonly Uint8Array[];

/** The content of a response, ready to be sent. */
export interface Content<Data extends Body = Body> {
  readonly mediaType: string;
  readonly data: Data;
  /** In bytes. */
  readonly length: number;
  /** The compressed data, by content coding. Filled when a client first asks for a coding. */
  coded?: Map<ContentCoding, Promise<Uint8Array>>;
}

/** Length of a text, in characters, above which it is cheaper to encode it before it is sent. */
const longText = 8 * 1024;

/** Total size of pieces, in bytes, up to which it is cheaper to join them before they are sent. */
const shortPieces = 768 * 1024;

/** Makes the content of a response. */
export function toContent(
  mediaType: string,
  data: string | Uint8Array,
): Content<string | Uint8Array> {
  const isLong = typeof data === "string" && data.length > longText;
  const ready = isLong ? Buffer.from(data) : data;
  const length = Buffer.byteLength(ready);
  return { mediaType, data: ready, length };
}

/** Makes the content of a response that was written in pieces. */
export function piecesToContent(mediaType: string, pieces: readonly Uint8Array[]): Content {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= shortPieces) return toContent(mediaType, Buffer.concat(pieces, length));
  return { mediaType, data: pieces, length };
}

/** Compresses content once for each content coding. */
export function codedContent(content: Content, coding: ContentCoding): Promise<Uint8Array> {
  content.coded ??= new Map();
  return getOrInsert(content.coded, coding, () => {
    const { data } = content;
    if (typeof data === "string") return coding.compress(Buffer.from(data));
    return coding.compress(data instanceof Uint8Array ? data : Buffer.concat(data));
  });
}

/** Returns whether content is worth compressing: long enough, and text or JSON, which is rarely compressed already. */
export function isCompressible({ mediaType, length }: Content): boolean {
  return length >= worthCompressing && /^(?:text\/|application\/(?:[^;]*\+)?json)/.test(mediaType);
}
