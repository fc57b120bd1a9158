import type { ValueWriter } from "./writer.ts";

/** The maximum number of messages whose text is cached together. */
const maxChunk = 256;
/** The minimum number, except at the end of a list. */
const minChunk = maxChunk / 2;

interface Chunk {
  readonly elements: readonly object[];
  /** The text of the elements, each after a comma. */
  readonly text: Uint8Array;
}

const opening = Buffer.from("[");
const closing = Buffer.from("]");
const comma = 1;

/**
 * Writes long lists of messages piece by piece, and yields between the pieces. Frozen messages cannot change, so the pieces of text
 * made of them are cached. When a list differs from the previous one in a few places, only the pieces there are written. The
 * pieces of a frozen list are not cached: there can be any number of different ones with the same messages.
 */
export function pieceWriter(write: ValueWriter) {
  /** By their first elements. */
  const cache = new WeakMap<object, Chunk>();

  function chunkAt(list: readonly object[], at: number): Chunk {
    const known = cache.get(list[at] as object);
    if (known && isPart(known.elements, list, at)) return known;
    const elements = list.slice(at, endOfChunk(list, at));
    let text = "";
    for (const element of elements) text += `,${write(element)}`;
    const chunk = { elements, text: Buffer.from(text) };
    if (!Object.isFrozen(list) && elements.every(Object.isFrozen)) {
      cache.set(elements[0] as object, chunk);
    }
    return chunk;
  }

  /** Ends a chunk where a cached one begins, so that an added or removed message does not change all chunks after it. */
  function endOfChunk(list: readonly object[], at: number): number {
    const left = list.length - at;
    let length = minChunk;
    while (length < 2 * maxChunk && length < left && !cache.has(list[at + length] as object)) {
      length += 1;
    }
    if (length >= 2 * maxChunk) return at + maxChunk;
    length = Math.min(length, left);
    return at + (length > maxChunk ? Math.ceil(length / 2) : length);
  }

  return function* (list: readonly object[]): Generator<void, readonly Uint8Array[]> {
    const pieces: Uint8Array[] = [opening];
    for (let at = 0; at < list.length; ) {
      const { elements, text } = chunkAt(list, at);
      pieces.push(at === 0 ? text.subarray(comma) : text);
      at += elements.length;
      yield;
    }
    pieces.push(closing);
    return pieces;
  };
}

/** Returns whether a list continues with the elements of a chunk, and the chunk is large enough to use. */
function isPart(elements: readonly object[], list: readonly object[], at: number): boolean {
  const end = at + elements.length;
  if (end > list.length || (elements.length < minChunk && end < list.length)) return false;
  for (let index = 0; index < elements.length; index += 1) {
    if (elements[index] !== list[at + index]) return false;
  }
  return true;
}
