import { setTimeout as delay } from "node:timers/promises";
import { flag, frame, frameType, headersFrame, pseudo } from "../../../support/http2-frames.ts";
import type { Attack, Target } from "./attack.ts";
import { bearer, type Headers, http1, openHttp2, openMany, pour, times } from "./wire.ts";

const connections = 100;
const piecesOfBody = 65_000;
const seconds = 6;

async function chunks(
  target: Target,
  method: string,
  path: string,
  headers: Headers,
): Promise<readonly string[]> {
  const until = performance.now() + seconds * 700;
  const sockets = await openMany(target, connections);
  const head = http1(method, path, { ...headers, "transfer-encoding": "chunked" });
  const piece = Buffer.from("1\r\nx\r\n".repeat(1_000));
  await Promise.all(
    sockets.map((socket) => {
      socket.resume().write(head);
      return pour(socket, times(piecesOfBody / 1_000, piece), until);
    }),
  );
  await delay(1_000);
  return [];
}

const chunkedSends = `${connections} unfinished bodies of ${piecesOfBody} chunks of 1 byte`;

/** The memory for a body depends on its bytes, not on the number of its chunks. */
export const chunkedStranger: Attack = {
  name: "chunks of 1 byte without a key",
  sends: chunkedSends,
  seconds,
  run: (target) =>
    chunks(target, "POST", "/grpc.health.v1.Health/Check", { "content-type": "application/proto" }),
};

export const chunkedKeyed: Attack = {
  name: "chunks of 1 byte with a key",
  sends: chunkedSends,
  seconds,
  run: (target) =>
    chunks(target, "PATCH", "/v1/inventory/1", {
      ...bearer(target.keys.rich),
      "content-type": "application/json",
    }),
};

/** Padding makes each 1-byte frame longer, so that one read of the socket has few of them. */
export const dataFrames: Attack = {
  name: "DATA frames of 1 byte",
  sends: "20 connections × 50 unfinished streams × 600 padded DATA frames of 1 byte",
  seconds,
  async run(target) {
    const until = performance.now() + seconds * 700;
    const sockets = await openHttp2(target, 20);
    const headers = [
      ...pseudo("POST", "/grpc.health.v1.Health/Check"),
      ["content-type", "application/grpc"] as const,
    ];
    const streams = Array.from({ length: 50 }, (_, n) => 1 + 2 * n);
    const begin = Buffer.concat(
      streams.map((stream) => headersFrame(stream, headers, flag.endHeaders)),
    );
    const padded = Buffer.concat([Buffer.from([100, 0x61]), Buffer.alloc(100)]);
    const round = Buffer.concat(
      streams.map((stream) => frame(frameType.data, flag.padded, stream, padded)),
    );
    await Promise.all(
      sockets.map((socket) => {
        socket.resume().write(begin);
        return pour(socket, times(600, round), until);
      }),
    );
    await delay(1_000);
    return [];
  },
};
