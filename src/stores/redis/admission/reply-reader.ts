/** Reads a binary reply part by part, from its beginning. */
export class ReplyReader {
  readonly reply: Buffer;
  readonly #text: string;
  #at = 0;

  constructor(reply: Buffer) {
    this.reply = reply;
    this.#text = reply.toString("latin1");
  }

  byte(): number {
    this.#at += 1;
    return this.reply.readUInt8(this.#at - 1);
  }

  /** Reads an unsigned integer of six bytes. */
  uint48(): number {
    return this.reply.readUIntBE(this.skip(6), 6);
  }

  /** Reads some texts, each up to the next zero byte. @returns them in one, with zero bytes between them */
  texts(count: number): string {
    const from = this.#at;
    for (let left = count; left > 0; left -= 1) this.#at = this.#text.indexOf("\0", this.#at) + 1;
    return this.#text.slice(from, this.#at - 1);
  }

  /** Skips some bytes. @returns the offset of the first of them */
  skip(bytes: number): number {
    this.#at += bytes;
    return this.#at - bytes;
  }
}
