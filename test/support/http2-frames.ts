/** Encodes HTTP/2 frames (RFC 9113), so that a test can send frames that no client library sends. */

/** The client connection preface (RFC 9113, section 3.4). */
export const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** Frame types (RFC 9113, section 6). */
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Frame flags. ACK and END_STREAM have the same bit. */
export const flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

/** Identifiers of settings (RFC 9113, section 6.5.2). */
export const setting = { headerTableSize: 1, initialWindowSize: 4 } as const;

/** A header: name and value, encoded in latin1. */
export type Header = readonly [name: string, value: string];

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length & 0xffffff, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

/** Encodes the payload of a SETTINGS frame. */
export function settingsPayload(values: Readonly<Record<number, number>>): Buffer {
  return Buffer.concat(
    Object.entries(values).map(([id, value]) => {
      const entry = Buffer.alloc(6);
      entry.writeUInt16BE(Number(id), 0);
      entry.writeUInt32BE(value >>> 0, 2);
      return entry;
    }),
  );
}

/** The preface, followed by a SETTINGS frame. */
export function opening(values: Readonly<Record<number, number>> = {}): Buffer {
  return Buffer.concat([preface, frame(frameType.settings, 0, 0, settingsPayload(values))]);
}

/** Encodes headers as literals without indexing and without Huffman coding (RFC 7541, section 6.2.2). */
export function headerBlock(headers: readonly Header[]): Buffer {
  return Buffer.concat(
    headers.flatMap(([name, value]) => [Buffer.from([0]), hpackString(name), hpackString(value)]),
  );
}

export function pseudo(method: string, path: string, authority = "localhost"): Header[] {
  return [
    [":method", method],
    [":scheme", "http"],
    [":path", path],
    [":authority", authority],
  ];
}

/** A HEADERS frame. The default flags end the headers and the stream. */
export function headersFrame(stream: number, headers: readonly Header[], flags = 5): Buffer {
  return frame(frameType.headers, flags, stream, headerBlock(headers));
}

/** A frame with one 32-bit number as its payload: RST_STREAM or WINDOW_UPDATE. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(value >>> 0);
  return frame(type, 0, stream, payload);
}

function hpackString(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  return Buffer.concat([hpackInteger(bytes.length, 7), bytes]);
}

/** Encodes an integer with a prefix of `prefixBits` bits (RFC 7541, section 5.1). */
export function hpackInteger(value: number, prefixBits: number): Buffer {
  const most = 2 ** prefixBits - 1;
  if (value < most) return Buffer.from([value]);
  const bytes = [most];
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return Buffer.from(bytes);
}

export interface ReceivedFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Decodes the complete frames at the beginning of `bytes`. */
export function framesOf(bytes: Buffer): ReceivedFrame[] {
  const frames: ReceivedFrame[] = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    if (at + 9 + length > bytes.length) break;
    frames.push({
      type: bytes.readUInt8(at + 3),
      flags: bytes.readUInt8(at + 4),
      stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
      payload: bytes.subarray(at + 9, at + 9 + length),
    });
    at += 9 + length;
  }
  return frames;
}
