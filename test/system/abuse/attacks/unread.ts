import { openConnections } from "../../../support/open-connections.ts";
import { machine, sendTimeoutMs } from "../settings.ts";
import type { Attack, Target } from "./attack.ts";
import { bearer, http1, leftOver, openMany, times } from "./wire.ts";

/**
 * The server must close a connection without progress within this time, in ms. Filling the queues of 300 connections
 * with lists comes first, and takes CPU time: 4 s alone, up to 20 s on a slow machine beside other work.
 */
const closedWithinMs = sendTimeoutMs + (machine === "shared" ? 60_000 : 4_000);
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
