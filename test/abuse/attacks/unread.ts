import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  frame,
  framesOf,
  frameType,
  headersFrame,
  pseudo,
  setting,
} from "../../support/http2-frames.ts";
import { openConnections } from "../../support/open-connections.ts";
import { machine, sendTimeoutMs } from "../settings.ts";
import type { Attack, Target } from "./attack.ts";
import { bearer, http1, leftOver, openHttp2, openMany, times } from "./wire.ts";

/**
 * The server must close a connection without progress within this time, in ms. Filling the queues of 300 connections
 * with lists comes first, and takes CPU time: 4 s alone, up to 10 s beside other work and after other attacks.
 */
const closedWithinMs = sendTimeoutMs + (machine === "shared" ? 16_000 : 4_000);
const seconds = closedWithinMs / 1_000 + 3;

/** Sends requests on connections that it never reads, and waits until the server has closed them. */
async function leaveUnread(
  target: Target,
  connections: number,
  bytes: Buffer,
): Promise<readonly string[]> {
  const before = openConnections(target.port);
  const sockets = await openMany(target, connections, 20);
  for (const socket of sockets) socket.pause().write(bytes);
  return closed(target, before);
}

async function closed(target: Target, before: number): Promise<readonly string[]> {
  const left = await leftOver(target, before, closedWithinMs);
  return left > 5 ? [`${left} stalled connections are still open after ${closedWithinMs} ms`] : [];
}

export const unreadDocs: Attack = {
  name: "unread documents",
  sends: "300 connections × 20 requests for the OpenAPI document, without reading",
  seconds,
  run: (target) =>
    leaveUnread(target, 300, Buffer.concat([...times(20, http1("GET", "/openapi.json"))])),
};

export const unreadLists: Attack = {
  name: "unread lists",
  sends: "300 connections × 20 requests for the whole list, without reading",
  seconds,
  burstMs: 100,
  run: (target) =>
    leaveUnread(
      target,
      300,
      Buffer.concat([...times(20, http1("GET", "/v1/inventory", bearer(target.keys.rich)))]),
    ),
};

export const closedWindow: Attack = {
  name: "streams with a window of 0",
  sends: "20 connections × 100 requests for a document, with a window of 0 and 2 PINGs a second",
  seconds,
  async run(target) {
    const sockets = await openHttp2(target, 20, { [setting.initialWindowSize]: 0 });
    const requests = Buffer.concat(
      Array.from({ length: 100 }, (_, n) =>
        headersFrame(1 + 2 * n, pseudo("GET", "/openapi.json")),
      ),
    );
    let open = 100 * sockets.length;
    for (const socket of sockets) {
      countResets(socket, 100, (count) => {
        open -= count;
      });
      socket.write(requests);
    }
    const deadline = performance.now() + closedWithinMs;
    while (open > 0 && performance.now() < deadline) {
      for (const socket of sockets) socket.write(frame(frameType.ping, 0, 0, Buffer.alloc(8)));
      await delay(500);
    }
    return open > 0
      ? [`${open} of 2000 stalled streams are still open after ${closedWithinMs} ms`]
      : [];
  },
};

/** Calls `report` for streams that end: those that are reset, and the others when the connection closes. */
function countResets(socket: Socket, streams: number, report: (count: number) => void): void {
  let rest = Buffer.alloc(0);
  let open = streams;
  const closed = (count: number) => {
    open -= count;
    report(count);
  };
  socket.on("data", (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    const frames = framesOf(rest);
    rest = rest.subarray(frames.reduce((sum, { payload }) => sum + 9 + payload.length, 0));
    closed(frames.filter(({ type }) => type === frameType.rstStream).length);
  });
  socket.once("close", () => closed(open));
}
