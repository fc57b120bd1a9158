/** The least of HTTP/2 in bytes, for what node's client would never send. RFC 9113, 4.1 and 6 */

const flags = { endHeaders: 0x4 };

function frame(type: number, flag: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flag, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** An empty SETTINGS frame. */
export const settings = frame(0x4, 0, 0, Buffer.alloc(0));

/** Preface and empty SETTINGS: what a client begins with. */
export const opening = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings]);

const postFields = Buffer.from("\x83\x86\x84\x41\x04test", "latin1");

/** HEADERS of `POST / http` for `:authority: test`. RFC 7541, Appendix A */
export const post = (stream: number) => frame(0x1, flags.endHeaders, stream, postFields);

/** The same without END_HEADERS: CONTINUATION is to follow. */
export const postUnfinished = (stream: number) => frame(0x1, 0, stream, postFields);

/** DATA, with more to come. */
export const data = (stream: number, text: string) => frame(0x0, 0, stream, Buffer.from(text));

/** RST_STREAM with CANCEL. */
export const cancel = (stream: number) => frame(0x3, 0, stream, Buffer.from([0, 0, 0, 8]));
