import { worthCompressing } from "./coding.ts";

/** What codes content. */
interface Coder {
  compress(data: Uint8Array): Promise<Uint8Array>;
  /** The same of data in pieces, which are not joined. */
  compressPieces?(pieces: readonly Uint8Array[]): Promise<Uint8Array>;
}

/** A body. One in pieces can share them with others. */
export type Body = string | Uint8Array | readonly Uint8Array[];

/** The content of an answer, ready to be sent. */
export interface Content<Data extends Body = Body> {
  readonly mediaType: string;
  readonly data: Data;
  /** In bytes. */
  readonly length: number;
  /** The same in content codings, as soon as somebody has wanted it. */
  readonly coded: Map<Coder, Promise<Uint8Array>>;
}

/** Above this many bytes a text is cheaper to send when it is bytes already. */
const longText = 8 * 1024;

/** Up to this many bytes pieces are cheaper to send when they are joined. */
const shortPieces = 768 * 1024;

/** Makes the content of an answer. */
export function toContent(
  mediaType: string,
  data: string | Uint8Array,
): Content<string | Uint8Array> {
  const isLong = typeof data === "string" && data.length > longText;
  const ready = isLong ? Buffer.from(data) : data;
  const length = Buffer.byteLength(ready);
  return { mediaType, data: ready, length, coded: new Map() };
}

/** Makes the content of a response that was written in pieces. */
export function piecesToContent(mediaType: string, pieces: readonly Uint8Array[]): Content {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= shortPieces) return toContent(mediaType, Buffer.concat(pieces, length));
  return { mediaType, data: pieces, length, coded: new Map() };
}

/** Content in a content coding, coded once. */
export function codedContent({ data, coded }: Content, coding: Coder): Promise<Uint8Array> {
  return coded.getOrInsertComputed(coding, () => {
    if (typeof data === "string") return coding.compress(Buffer.from(data));
    if (!isInPieces(data)) return coding.compress(data);
    return coding.compressPieces?.(data) ?? coding.compress(Buffer.concat(data));
  });
}

/** Whether a body is in pieces. */
function isInPieces(data: Body): data is readonly Uint8Array[] {
  return Array.isArray(data);
}

/** Whether compressing is of use: what is neither text nor JSON is likely to be compressed already. */
export function isCompressible({ mediaType, length }: Content): boolean {
  return length >= worthCompressing && /^(?:text\/|application\/(?:[^;]*\+)?json)/.test(mediaType);
}
