import { once } from "node:events";
import {
  connect,
  performServerHandshake,
  type ServerHttp2Session,
  type Settings,
} from "node:http2";
import { expect, onTestFinished, test } from "vitest";
import { announceSettings } from "../../../src/server/node-internals/http2-settings.ts";
import { socketPair } from "./support/connections.ts";

test("The first bytes of a session are a SETTINGS frame of known length", async () => {
  const { client, served } = await socketPair();
  const settings = { maxHeaderListSize: 12_345 };
  const begun = Promise.withResolvers<ServerHttp2Session>();
  announceSettings(served, { maxConcurrentStreams: 67 }, settings, () =>
    begun.resolve(performServerHandshake(served, { settings })),
  );
  const session = connect("http://test", { createConnection: () => client });
  onTestFinished(() => void session.destroy());
  const received = once(session, "remoteSettings") as Promise<[Settings]>;
  const serverSession = await begun.promise;
  const acknowledged = once(serverSession, "localSettings");
  expect((await received)[0]).toMatchObject({ ...settings, maxConcurrentStreams: 67 });
  await acknowledged;
  expect(serverSession.pendingSettingsAck).toBe(false);
});
