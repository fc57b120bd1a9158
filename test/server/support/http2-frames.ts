/** Encodes an HTTP/2 frame, for tests that send what node's client never sends (RFC 9113, sections 4.1 and 6). */

const flags = { ack: 0x1, endStream: 0x1, endHeaders: 0x4 };

export function frame(type: number, flag: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flag, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** An empty SETTINGS frame. */
export const settings = frame(0x4, 0, 0, Buffer.alloc(0));

/** The acknowledgment of the server's SETTINGS. */
export const settingsAck = frame(0x4, flags.ack, 0, Buffer.alloc(0));

/** Preface and empty SETTINGS: the beginning of a client's connection. */
export const opening = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings]);

/** SETTINGS and WINDOW_UPDATE for windows that are larger than any response. */
export const largeWindows = Buffer.concat([
  frame(0x4, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])),
  frame(0x8, 0, 0, Buffer.from([0x7f, 0xfe, 0, 0])),
]);

const postFields = Buffer.from("\x83\x86\x84\x41\x04test", "latin1");

/** HEADERS of `POST /` with the scheme http and `:authority: test` (RFC 7541, appendix A). */
export const post = (stream: number) => frame(0x1, flags.endHeaders, stream, postFields);

const getFields = Buffer.from("\x82\x86\x84\x41\x04test", "latin1");

/** HEADERS of `GET /` with the scheme http and `:authority: test`: a complete request. */
export const get = (stream: number) =>
  frame(0x1, flags.endStream | flags.endHeaders, stream, getFields);

/** HEADERS of the same POST without END_HEADERS: a CONTINUATION must follow. */
export const postUnfinished = (stream: number) => frame(0x1, 0, stream, postFields);

/** DATA without END_STREAM. */
export const data = (stream: number, text: string) => frame(0x0, 0, stream, Buffer.from(text));

/** WINDOW_UPDATE with the largest increment, which overflows the window of a stream that has sent nothing. */
export const windowOverflow = (stream: number) =>
  frame(0x8, 0, stream, Buffer.from([0x7f, 0xff, 0xff, 0xff]));

/** RST_STREAM with CANCEL. */
export const cancel = (stream: number) => frame(0x3, 0, stream, Buffer.from([0, 0, 0, 8]));

/** A received frame. */
export interface Frame {
  readonly type: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Splits received bytes into frames. */
export function frameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9) {
      const end = 9 + rest.readUIntBE(0, 3);
      if (rest.length < end) {
        return;
      }
      const [type, stream, payload] = [
        rest.readUInt8(3),
        rest.readUInt32BE(5),
        rest.subarray(9, end),
      ];
      rest = rest.subarray(end);
      onFrame({ type, stream, payload });
    }
  };
}

/** SETTINGS and WINDOW_UPDATE for windows close to the maximum, so that no stream waits for its client. */
export const wideWindows = Buffer.concat([
  frame(0x4, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0, 0])),
  frame(0x8, 0, 0, Buffer.from([0x7f, 0xff, 0, 0])),
]);

/** HEADERS of a complete request, each header as a literal without indexing (RFC 7541, section 6.2.2). */
export function request(stream: number, fields: Readonly<Record<string, string>>): Buffer {
  const block = Object.entries(fields).flatMap(([name, value]) => [
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);
  return frame(0x1, 0x5, stream, Buffer.concat(block));
}
