import { worthCompressing } from "./coding.ts";

/** What codes content. */
interface Coder {
  compress(data: Uint8Array): Promise<Uint8Array>;
}

/** The content of an answer, ready to be sent. */
export interface Content {
  readonly mediaType: string;
  readonly data: string | Uint8Array;
  /** In bytes. */
  readonly length: number;
  /** The same in content codings, as soon as somebody has wanted it. */
  readonly coded: Map<Coder, Promise<Uint8Array>>;
}

/** Above this many bytes a text is cheaper to send when it is bytes already. */
const longText = 8 * 1024;

/** Makes the content of an answer. */
export function toContent(mediaType: string, data: string | Uint8Array): Content {
  const isLong = typeof data === "string" && data.length > longText;
  const ready = isLong ? Buffer.from(data) : data;
  const length = Buffer.byteLength(ready);
  return { mediaType, data: ready, length, coded: new Map() };
}

/** Content in a content coding, coded once. */
export function codedContent({ data, coded }: Content, coding: Coder): Promise<Uint8Array> {
  return coded.getOrInsertComputed(coding, () =>
    coding.compress(typeof data === "string" ? Buffer.from(data) : data),
  );
}

/** Whether compressing is of use: what is neither text nor JSON is likely to be compressed already. */
export function isCompressible({ mediaType, length }: Content): boolean {
  return length >= worthCompressing && /^(?:text\/|application\/(?:[^;]*\+)?json)/.test(mediaType);
}
