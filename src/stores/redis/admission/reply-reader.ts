/** Reads a binary reply part by part, from its beginning. */
export class ReplyReader {
  readonly #reply: Buffer;
  readonly #text: string;
  #at = 0;

  constructor(reply: Buffer) {
    this.#reply = reply;
    this.#text = reply.toString("latin1");
  }

  /** Reads a byte. */
  byte(): number {
    this.#at += 1;
    return this.#reply.readUInt8(this.#at - 1);
  }

  /** Reads an unsigned integer of six bytes. */
  uint48(): number {
    return this.#reply.readUIntBE(this.skip(6), 6);
  }

  /** Reads a text, up to the next zero byte, which it skips. */
  text(): string {
    const end = this.#text.indexOf("\0", this.#at);
    const text = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return text;
  }

  /** Skips some bytes. @returns the offset of the first of them */
  skip(bytes: number): number {
    this.#at += bytes;
    return this.#at - bytes;
  }
}
