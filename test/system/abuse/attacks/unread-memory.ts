import { setTimeout as delay } from "node:timers/promises";
import {
  flag,
  frame,
  frameType,
  type Header,
  headerBlock,
  numberFrame,
  opening,
  pseudo,
  setting,
} from "../../../support/http2-frames.ts";
import type { Attack, Target } from "./attack.ts";
import { bearer, http1, openMany, pour, times } from "./wire.ts";

/** Clients at one address that leave all responses unread. The memory of the server must stay within its bounds. */

const seconds = 5;
const streams = 250;
/** Largest payload of a frame that needs no setting (RFC 9113, section 4.2). */
const frameBytes = 16_384;

/** A request in one HEADERS frame and as many CONTINUATION frames as it needs. */
function request(stream: number, headers: readonly Header[]): Buffer {
  const block = headerBlock(headers);
  const pieces: Buffer[] = [];
  for (let at = 0; at < block.length; at += frameBytes) {
    const type = at === 0 ? frameType.headers : frameType.continuation;
    const end = at + frameBytes >= block.length ? flag.endHeaders : 0;
    const piece = block.subarray(at, at + frameBytes);
    pieces.push(frame(type, (at === 0 ? flag.endStream : 0) | end, stream, piece));
  }
  return Buffer.concat(pieces);
}

function* requests(headers: readonly Header[]): Generator<Buffer> {
  for (let n = 0; n < streams; n++) yield request(1 + 2 * n, headers);
}

interface Http2Options {
  readonly connections: number;
  readonly window?: number;
  /** Whether the client reads the connection and acknowledges the server's settings. */
  readonly acknowledges: boolean;
}

async function leaveStreams(
  target: Target,
  headers: readonly Header[],
  { connections, window = 0, acknowledges }: Http2Options,
): Promise<readonly string[]> {
  const until = performance.now() + seconds * 900;
  const sockets = await openMany(target, connections, 1);
  for (const socket of sockets) {
    if (acknowledges) socket.resume();
    else socket.pause();
    socket.write(opening({ [setting.initialWindowSize]: window }));
    if (acknowledges) {
      socket.once("data", () => socket.write(frame(frameType.settings, flag.ack, 0)));
    }
  }
  await delay(acknowledges ? 300 : 0);
  await Promise.all(sockets.map((socket) => pour(socket, requests(headers), until)));
  await delay(Math.max(0, until - performance.now()));
  return [];
}

/** Opens a connection again and again until a time. Each asks for documents and reads a byte of each now and then. */
async function drip(target: Target, until: number): Promise<void> {
  const settings = opening({ [setting.initialWindowSize]: 1 });
  const updates = Array.from({ length: streams + 1 }, (_, n) =>
    numberFrame(frameType.windowUpdate, n === 0 ? 0 : 2 * n - 1, n === 0 ? streams : 1),
  );
  const more = Buffer.concat(updates);
  while (performance.now() < until) {
    const [socket] = await openMany(target, 1, 1);
    if (!socket) return;
    socket.resume().write(settings);
    socket.once("data", () => socket.write(frame(frameType.settings, flag.ack, 0)));
    await pour(socket, requests(pseudo("GET", "/openapi.json")), until);
    while (!socket.destroyed && performance.now() < until) {
      if (socket.writableLength < 1e6) socket.write(more);
      await delay(100);
    }
    socket.destroy();
  }
}

/** Headers of a total length. The server's limit is 16 KiB. */
function padded(path: string, length: number): Header[] {
  const values = Math.ceil(length / 14_000);
  const value = "x".repeat(length / values);
  return [
    ...pseudo("GET", path),
    ...Array.from({ length: values }, (_, n) => [`x-${n}`, value] as const),
  ];
}

function streamsOf(
  what: string,
  headers: (target: Target) => readonly Header[],
  options: Http2Options,
): Attack {
  return {
    name: `unread ${what}`,
    sends: `${options.connections} connections × ${streams} streams with a window of ${options.window ?? 0}`,
    seconds: seconds + 3,
    run: (target) => leaveStreams(target, headers(target), options),
  };
}

function pipelined(what: string, bytes: (target: Target) => Buffer): Attack {
  return {
    name: `unread pipelined ${what}`,
    sends: "300 connections × 10,000 requests at once",
    seconds: seconds + 3,
    async run(target) {
      const until = performance.now() + seconds * 900;
      const sockets = await openMany(target, 300, 1);
      const block = Buffer.concat([...times(100, bytes(target))]);
      await Promise.all(sockets.map((socket) => pour(socket.pause(), times(100, block), until)));
      await delay(Math.max(0, until - performance.now()));
      return [];
    },
  };
}

const list = "/v1/inventory";
const authorized = ({ keys }: Target): Header => [
  "authorization",
  bearer(keys.rich).authorization ?? "",
];

const unreadHeaders: readonly Attack[] = [
  streamsOf("streams with overlong headers", () => padded(list, 58_000), {
    connections: 60,
    acknowledges: false,
  }),
  streamsOf("streams with overlong headers on 300 connections", () => padded(list, 58_000), {
    connections: 300,
    acknowledges: false,
  }),
  streamsOf("streams with long headers", () => padded(list, 14_000), {
    connections: 60,
    acknowledges: true,
  }),
];

function withBurst(attacks: readonly Attack[]): Attack[] {
  return attacks.map((attack) => ({ ...attack, burstMs: 100, residentMegabytes: 500 }));
}

/** All of them. Their requests come at once. */
export const unreadMemory: readonly Attack[] = withBurst([
  ...unreadHeaders,
  streamsOf(
    "streams with many headers",
    () => [
      ...pseudo("GET", list),
      ...Array.from({ length: 100 }, (_, n) => [`x-${n}`, "y".repeat(100)] as const),
    ],
    { connections: 60, acknowledges: true },
  ),
  streamsOf("documents over HTTP/2", () => pseudo("GET", "/openapi.json"), {
    connections: 300,
    window: 1,
    acknowledges: true,
  }),
  streamsOf("lists over HTTP/2", (target) => [...pseudo("GET", list), authorized(target)], {
    connections: 60,
    acknowledges: true,
  }),
  {
    name: "unread documents, a byte at a time, over new connections",
    sends: "60 connections × 250 streams whose windows grow by a byte every 100 ms",
    seconds: seconds + 3,
    async run(target) {
      const until = performance.now() + seconds * 900;
      await Promise.all(Array.from({ length: 60 }, () => drip(target, until)));
      return [];
    },
  },
  pipelined("requests without a key", () => http1("GET", list)),
  pipelined("requests with a key", ({ keys }) => http1("GET", `${list}/1`, bearer(keys.rich))),
]);
