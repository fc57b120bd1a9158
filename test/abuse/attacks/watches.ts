import { setTimeout as delay } from "node:timers/promises";
import { frame, frameType, headersFrame, pseudo, setting } from "../../support/http2-frames.ts";
import { openConnections } from "../../support/open-connections.ts";
import { heartbeatMs } from "../settings.ts";
import { type Attack, createFindings } from "./attack.ts";
import { call } from "./rpc.ts";
import { ask, bearer, http1, leftOver, openHttp2, openMany } from "./wire.ts";

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
    const more = await ask(target, http1("GET", "/v1/inventory:watch", key), { timeoutMs: 1_000 });
    found.expect(more.status === 429, `watch ${watches + 1} of one key: status ${more.status}`);

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
