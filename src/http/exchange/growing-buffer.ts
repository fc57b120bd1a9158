import type { Unread } from "./unread.ts";

/** Largest buffer that is not counted, in bytes. Nearly all bodies are shorter. */
const freeBytes = 4 * 1024;

/** A single piece is copied when the buffer behind it exceeds twice the piece's length by more than this, in bytes. */
const slack = 1024;

/** Smallest capacity, in bytes. */
const minCapacity = 256;

const empty = new Uint8Array();

/** Returns a piece, or a copy of it if the buffer behind it is much larger. */
export function tight(piece: Uint8Array): Uint8Array {
  return piece.buffer.byteLength <= 2 * piece.length + slack ? piece : new Uint8Array(piece);
}

/**
 * Collects bytes that arrive in pieces. It copies them into one buffer, so that neither many small pieces nor the large
 * buffers behind them stay in memory. It holds at most twice the appended bytes, plus a small constant. A single piece
 * is not copied unless it is a view of a much larger buffer.
 */
export class GrowingBuffer {
  readonly #unread: Unread | undefined;
  #buffer: Uint8Array = empty;
  #length = 0;
  #counted = 0;

  /** @param unread counts the memory until the next {@link take} or {@link clear} */
  constructor(unread?: Unread) {
    this.#unread = unread;
  }

  get length(): number {
    return this.#length;
  }

  /** All bytes so far. Valid until the next {@link append}, {@link take} or {@link clear}. */
  get bytes(): Uint8Array {
    const buffer = this.#buffer;
    return buffer.length === this.#length ? buffer : buffer.subarray(0, this.#length);
  }

  /** Returns all bytes so far, or `other` when there are none. */
  startOr(other: Uint8Array): Uint8Array {
    return this.#length > 0 ? this.bytes : other;
  }

  append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) {
      this.#buffer = tight(piece);
    } else {
      if (length > this.#buffer.length) this.#grow(Math.max(minCapacity, 2 * this.#length, length));
      this.#buffer.set(piece, this.#length);
    }
    this.#length = length;
    if (this.#buffer.length > freeBytes) this.#count(this.#buffer.length);
  }

  #grow(capacity: number): void {
    const { buffer } = this.#buffer;
    if (isPaged(buffer) && capacity <= buffer.maxByteLength) {
      buffer.resize(capacity);
    } else {
      const grown = allocate(capacity);
      grown.set(this.bytes);
      this.#free();
      this.#buffer = grown;
    }
  }

  /** Frees pages at once, because clients could fill more before garbage is collected. */
  #free(): void {
    const { buffer } = this.#buffer;
    if (isPaged(buffer)) buffer.resize(0);
  }

  #count(bytes: number): void {
    if (bytes === this.#counted) return;
    this.#unread?.hold(bytes - this.#counted, performance.now());
    this.#counted = bytes;
  }

  /** Returns all bytes so far and starts again with none. */
  take(): Uint8Array {
    const bytes = isPaged(this.#buffer.buffer) ? this.bytes.slice() : this.bytes;
    this.clear();
    return bytes;
  }

  /** Starts again with no bytes. */
  clear(): void {
    this.#free();
    this.#buffer = empty;
    this.#length = 0;
    this.#count(0);
  }
}

/** Smallest buffer in pages of its own, in bytes. */
const pagedBytes = 64 * 1024;

/**
 * Allocates a buffer. V8 gives a resizable one pages of its own: it grows where it is, and the system gets them back.
 * The C library would keep most of them, because it returns only those above the last piece in use.
 */
function allocate(bytes: number): Uint8Array {
  if (bytes < pagedBytes) return new Uint8Array(bytes);
  return new Uint8Array(new ArrayBuffer(bytes, { maxByteLength: 8 * bytes }));
}

function isPaged(buffer: ArrayBufferLike): buffer is ArrayBuffer {
  return buffer instanceof ArrayBuffer && buffer.resizable;
}
