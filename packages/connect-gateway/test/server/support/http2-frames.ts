import { flag, frame } from "../../../../../test/support/http2-frames.ts";

/** Short HTTP/2 frames, for tests that send what node's client never sends (RFC 9113, section 6). */

export const settings = frame(0x4, 0, 0, Buffer.alloc(0));

/** The acknowledgment of the server's SETTINGS. */
export const settingsAck = frame(0x4, flag.ack, 0, Buffer.alloc(0));

/** Preface and empty SETTINGS: the beginning of a client's connection. */
export const opening = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings]);

/** SETTINGS and WINDOW_UPDATE for windows that are larger than any response. */
export const largeWindows = Buffer.concat([
  frame(0x4, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])),
  frame(0x8, 0, 0, Buffer.from([0x7f, 0xfe, 0, 0])),
]);

const postFields = Buffer.from("\x83\x86\x84\x41\x04test", "latin1");

/** HEADERS of `POST /` with the scheme http and `:authority: test` (RFC 7541, appendix A). */
export const post = (stream: number) => frame(0x1, flag.endHeaders, stream, postFields);

const getFields = Buffer.from("\x82\x86\x84\x41\x04test", "latin1");

/** HEADERS of `GET /` with the scheme http and `:authority: test`: a complete request. */
export const get = (stream: number) =>
  frame(0x1, flag.endStream | flag.endHeaders, stream, getFields);

/** HEADERS of the same POST without END_HEADERS: a CONTINUATION must follow. */
export const postUnfinished = (stream: number) => frame(0x1, 0, stream, postFields);

/** DATA without END_STREAM. */
export const data = (stream: number, text: string) => frame(0x0, 0, stream, Buffer.from(text));

/** WINDOW_UPDATE with the largest increment, which overflows the window of a stream that has sent nothing. */
export const windowOverflow = (stream: number) =>
  frame(0x8, 0, stream, Buffer.from([0x7f, 0xff, 0xff, 0xff]));

/** RST_STREAM with CANCEL. */
export const cancel = (stream: number) => frame(0x3, 0, stream, Buffer.from([0, 0, 0, 8]));
