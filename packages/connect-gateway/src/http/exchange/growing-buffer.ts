import type { Unread } from "./unread.ts";

/** Largest buffer that is not counted, in bytes. Nearly all bodies are shorter. */
const freeBytes = 4 * 1024;

/** A single piece is copied when the buffer behind it exceeds twice the piece's length by more than this, in bytes. */
const slack = 1024;

const minCapacity = 256;

export const empty: Uint8Array<ArrayBuffer> = new Uint8Array();

/** Returns a piece, or a copy of it if the buffer behind it is much larger. */
export function tight(piece: Uint8Array): Uint8Array {
  return piece.buffer.byteLength <= 2 * piece.length + slack ? piece : new Uint8Array(piece);
}

/**
 * Collects bytes that arrive in pieces. It copies them into one buffer, so that neither many small pieces nor the large
 * buffers behind them stay in memory. It holds at most twice the appended bytes, plus a small constant.
 */
export class GrowingBuffer {
  readonly #unread: Unread | undefined;
  #buffer: Uint8Array = empty;
  length = 0;
  #counted = 0;

  /** @param unread counts the memory until the next {@link take} or {@link clear} */
  constructor(unread?: Unread) {
    this.#unread = unread;
  }

  /** All bytes so far. Valid until the next {@link append}, {@link take} or {@link clear}. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }

  append(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (this.length === 0) this.#buffer = tight(piece);
    else if (length <= this.#buffer.length) this.#buffer.set(piece, this.length);
    else {
      const grown = new Uint8Array(Math.max(minCapacity, 2 * this.length, length));
      grown.set(this.bytes);
      grown.set(piece, this.length);
      this.#buffer = grown;
    }
    this.length = length;
    if (this.#buffer.length > freeBytes) this.#count(this.#buffer.length);
  }

  #count(bytes: number): void {
    if (bytes === this.#counted) return;
    this.#unread?.hold(bytes - this.#counted, performance.now());
    this.#counted = bytes;
  }

  /** Returns all bytes so far and starts again with none. */
  take(): Uint8Array {
    const { bytes } = this;
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#buffer = empty;
    this.length = 0;
    this.#count(0);
  }
}
