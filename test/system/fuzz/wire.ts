import {
  flag,
  frame,
  frameType,
  type Header,
  headerBlock,
  opening,
  pseudo,
  setting,
} from "../../support/http2-frames.ts";
import type { Random } from "../linearizability/random.ts";
import type { Call } from "./corpus.ts";

/** Encodes an HTTP/1.1 request, with `Connection: close` unless it has that header. */
export function http1Bytes({ method, path, headers, body }: Call): Buffer {
  const named = new Set(headers.map(([name]) => name));
  const all: [string, string][] = [
    ...(named.has("host") ? [] : [["host", "localhost"] as [string, string]]),
    ...headers,
    ...(named.has("connection") ? [] : [["connection", "close"] as [string, string]]),
    ...(body.length === 0 || named.has("content-length") || named.has("transfer-encoding")
      ? []
      : [["content-length", String(body.length)] as [string, string]]),
  ];
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`, "latin1"), body]);
}

/** Encodes the body in chunks. */
export function chunked(call: Call, random: Random): void {
  const pieces: Buffer[] = [];
  for (let at = 0; at < call.body.length; ) {
    const piece = call.body.subarray(at, at + random.between(1, 40));
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
    at += piece.length;
  }
  call.headers.push(["transfer-encoding", "chunked"]);
  call.body = Buffer.concat([...pieces, Buffer.from("0\r\n\r\n")]);
}

export interface FrameParts {
  type: number;
  flags: number;
  stream: number;
  payload: Buffer;
}

/** The frames of an HTTP/2 request, split at random places. */
export function http2Frames({ method, path, headers, body }: Call, random: Random): FrameParts[] {
  const allHeaders: Header[] = [
    ...pseudo(method, path),
    ...headers.filter(([name]) => name !== "host" && name !== "connection"),
  ];
  const block = headerBlock(allHeaders);
  const cut = random.oneIn(4) ? random.between(0, block.length) : block.length;
  const last = body.length === 0 ? flag.endStream : 0;
  const whole = cut === block.length ? flag.endHeaders : 0;
  const frames: FrameParts[] = [
    { type: frameType.headers, flags: whole | last, stream: 1, payload: block.subarray(0, cut) },
  ];
  if (!whole) {
    const rest = { flags: flag.endHeaders, stream: 1, payload: block.subarray(cut) };
    frames.push({ type: frameType.continuation, ...rest });
  }
  const size = random.oneIn(3) ? random.between(1, 20) : 16_384;
  for (let at = 0; at < body.length; at += Math.max(size, Math.ceil(body.length / 500))) {
    const to = at + Math.max(size, Math.ceil(body.length / 500));
    const flags = to >= body.length ? flag.endStream : 0;
    frames.push({ type: frameType.data, flags, stream: 1, payload: body.subarray(at, to) });
  }
  return frames;
}

/** Mutates a frame, or adds one. */
export function mutateFrames(frames: FrameParts[], random: Random): void {
  const index = random.between(0, frames.length - 1);
  const chosen = frames[index];
  if (!chosen) return;
  switch (random.between(0, 6)) {
    case 0:
      chosen.type = random.between(0, 11);
      break;
    case 1:
      chosen.flags = random.between(0, 255);
      break;
    case 2:
      chosen.stream = random.pick([0, 1, 2, 3, 5, 0x7fffffff, 0xffffffff]);
      break;
    case 3:
      frames.splice(index, 0, { ...chosen });
      break;
    case 4:
      frames.splice(index, 1);
      break;
    case 5:
      chosen.payload = Buffer.from(
        Array.from({ length: random.between(0, 40) }, () => random.between(0, 255)),
      );
      break;
    default:
      frames.splice(index, 0, {
        type: random.between(0, 11),
        flags: random.pick([0, 1, 4, 5, 8, 32, 255]),
        stream: random.pick([0, 1, 3]),
        payload: Buffer.alloc(random.pick([0, 1, 4, 5, 6, 8, 9, 12]), random.pick([0, 1, 0xff])),
      });
  }
}

/** Encodes a connection: the preface, settings that disable the dynamic table for responses, and the frames. */
export function http2Bytes(frames: readonly FrameParts[]): Buffer {
  return Buffer.concat([
    opening({ [setting.headerTableSize]: 0 }),
    ...frames.map(({ type, flags, stream, payload }) => frame(type, flags, stream, payload)),
  ]);
}
