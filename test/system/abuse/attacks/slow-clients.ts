import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  flag,
  frame,
  frameType,
  headerBlock,
  headersFrame,
  opening,
  preface,
  pseudo,
} from "../../../support/http2-frames.ts";
import { openConnections } from "../../../support/open-connections.ts";
import type { Attack } from "./attack.ts";
import { bearer, http1, leftOver, openMany } from "./wire.ts";

/** The server closes connections that send a byte at a time when the request timeout has passed. */
function slow(
  name: string,
  begin: (key: Readonly<Record<string, string>>) => Buffer,
  drip: () => Buffer,
): Attack {
  return {
    name: `slow ${name}`,
    sends: "150 connections that send 10 small pieces a second, without end",
    seconds: 10,
    async run(target) {
      const before = openConnections(target.port);
      const sockets = await openMany(target, 150, 15);
      const first = begin(bearer(target.keys.rich));
      for (const socket of sockets) socket.resume().write(first);
      const dripping = setInterval(() => {
        for (const socket of sockets) write(socket, drip());
      }, 100);
      await delay(1_000);
      // REQUEST_TIMEOUT_MS and one check of the timeouts. An idle HTTP/2 connection stays open for
      // KEEP_ALIVE_TIMEOUT_MS and for the timeout of a PING that the client does not acknowledge.
      const left = await leftOver(target, before, 8_000);
      clearInterval(dripping);
      return left > 5 ? [`${left} slow connections are still open`] : [];
    },
  };
}

function write(socket: Socket, bytes: Buffer): void {
  if (socket.writable) socket.write(bytes);
}

export const slowHeaders = slow(
  "headers over HTTP/1.1",
  () => Buffer.from("GET /v1/inventory HTTP/1.1\r\nhost: a\r\nx-a: "),
  () => Buffer.from("a"),
);

export const slowBodies = slow(
  "bodies over HTTP/1.1",
  (key) =>
    http1("PATCH", "/v1/inventory/1", {
      ...key,
      "content-type": "application/json",
      "content-length": "60000",
    }),
  () => Buffer.from(" "),
);

export const slowPreface = slow(
  "HTTP/2 preface",
  () => preface.subarray(0, 10),
  () => Buffer.alloc(0),
);

export const slowHeaderBlock = slow(
  "header blocks over HTTP/2",
  () => Buffer.concat([opening(), frame(frameType.headers, 0, 1, headerBlock(pseudo("GET", "/")))]),
  () => frame(frameType.continuation, 0, 1, headerBlock([["x-a", "a"]])),
);

export const slowStreams = slow(
  "bodies over HTTP/2",
  (key) =>
    Buffer.concat([
      opening(),
      headersFrame(
        1,
        [
          ...pseudo("PATCH", "/v1/inventory/1"),
          ["content-type", "application/json"],
          ["authorization", key.authorization ?? ""],
        ],
        flag.endHeaders,
      ),
    ]),
  () => frame(frameType.data, 0, 1, Buffer.from(" ")),
);
