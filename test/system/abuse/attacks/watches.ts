import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { frame, frameType, headersFrame, pseudo, setting } from "../../../support/http2-frames.ts";
import { openConnections } from "../../../support/open-connections.ts";
import { heartbeatMs } from "../settings.ts";
import { type Attack, createFindings, type Target } from "./attack.ts";
import { call } from "./rpc.ts";
import { bearer, http1, leftOver, openHttp2, openMany } from "./wire.ts";

const watches = 1_000;

/** Revoking a key ends its watches, even if the client does not read them. */
export const stalledWatches: Attack = {
  name: "stalled watches",
  sends: `${watches} unread watches with one key over HTTP/1.1 and HTTP/2; then the key is revoked`,
  seconds: 9,
  async run(target) {
    const found = createFindings();
    const before = openConnections(target.port);
    const key = bearer(target.keys.doomed);
    const sockets = await openMany(target, watches / 2, 20);
    for (const socket of sockets) socket.pause().write(http1("GET", "/v1/inventory:watch", key));
    const sessions = await openHttp2(target, 5, { [setting.initialWindowSize]: 0 });
    const requests = Buffer.concat(
      Array.from({ length: watches / 2 / sessions.length }, (_, n) =>
        headersFrame(1 + 2 * n, [
          ...pseudo("GET", "/v1/inventory:watch"),
          ["authorization", key.authorization ?? ""],
        ]),
      ),
    );
    for (const session of sessions) session.resume().write(requests);
    await delay(1_500);
    const keyId = target.keys.doomedId;
    const revoked = await call(target, "admin.v1.AdminService/RevokeKey", { keyId }, "admin");
    found.expect(revoked.status === 200, `revoking the key: status ${revoked.status}`);
    for (const session of sessions) session.write(frame(frameType.ping, 0, 0, Buffer.alloc(8)));
    const left = await leftOver(target, before + sessions.length, 2 * heartbeatMs + 2_000);
    found.expect(
      left <= sessions.length + 5,
      `${left} connections are still open after the key was revoked`,
    );
    return found.list;
  },
};

const resumed = 100;

async function oldestVersion(target: Target): Promise<string> {
  let version = "";
  let pageToken = "";
  do {
    const method = "inventory.v1.InventoryService/ListInventoryChanges";
    const { body } = await call(target, method, { pageSize: 1_000, pageToken }, "rich");
    const page: { changes?: { version: string }[]; nextPageToken?: string } = JSON.parse(body);
    version = page.changes?.at(-1)?.version ?? version;
    pageToken = page.nextPageToken ?? "";
  } while (pageToken !== "");
  return version;
}

/**
 * Opens watches, and reads them for some seconds.
 *
 * @param request of one watch
 * @param text what each watch should send
 * @returns the number of watches that have sent it
 */
async function readWatches(
  target: Target,
  request: Buffer,
  text: string,
  seconds: number,
): Promise<number> {
  const sockets = await openMany(target, resumed, 5);
  const sent = new Set<Socket>();
  for (const socket of sockets) {
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      if (chunk.includes(text)) sent.add(socket);
    });
    socket.write(request);
  }
  await delay(seconds * 1_000);
  for (const socket of sockets) socket.destroy();
  return sent.size;
}

/** Sending the same old changes to many watches is work for each of them. */
export const resumedWatches: Attack = {
  name: "resumed watches",
  sends: `${resumed} watches with one key that resume at the oldest change, and ${resumed} snapshots in JSON by Connect`,
  seconds: 30,
  burstMs: 100,
  async run(target) {
    const found = createFindings();
    const key = bearer(target.keys.rich);
    const version = await oldestVersion(target);
    const rest = http1("GET", "/v1/inventory:watch", { ...key, "last-event-id": version });
    const changing = await readWatches(target, rest, '"change"', 5);
    found.expect(changing === resumed, `${changing} of ${resumed} watches sent changes`);
    const message = Buffer.from("{}");
    const envelope = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
    const path = "/inventory.v1.InventoryService/WatchInventory";
    const type = { "content-type": "application/connect+json" };
    const connect = http1("POST", path, { ...key, ...type }, envelope);
    const ready = await readWatches(target, connect, '"ready"', 5);
    found.expect(ready === resumed, `${ready} of ${resumed} snapshots were complete`);
    return found.list;
  },
};
