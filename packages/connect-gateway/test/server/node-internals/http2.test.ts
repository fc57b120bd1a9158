import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type Http2Server,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from "node:http2";
import { expect, it, onTestFinished, vi } from "vitest";
import { announceSettings } from "../../../src/server/node-internals/http2-settings.ts";
import { useStreamTable } from "../../../src/server/node-internals/http2-streams.ts";
import { listenForTest, socketPair } from "./support/connections.ts";

async function connectTo(server: Http2Server): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${await listenForTest(server)}`);
  session.on("error", () => {});
  onTestFinished(() => void session.destroy());
  return session;
}

it("The first bytes of a session are a SETTINGS frame of known length", async () => {
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

it("The streams of a session are in a map that can be replaced", async () => {
  const server = createServer();
  const streams: ServerHttp2Stream[] = [];
  const closed = vi.fn<() => void>();
  server.on("session", (session) => {
    useStreamTable(session);
    session.on("close", closed);
  });
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    streams.push(stream);
  });
  const client = await connectTo(server);
  for (const path of ["/1", "/2", "/3"]) {
    client
      .request({ ":path": path })
      .on("error", () => {})
      .resume();
  }
  await vi.waitFor(() => expect(streams).toHaveLength(3));
  const [first, ...others] = streams as [ServerHttp2Stream, ...ServerHttp2Stream[]];
  const session = first.session as ServerHttp2Session;
  const table = streamsOf(session);
  expect(table).not.toBeInstanceOf(Map);
  expect(table).toHaveProperty("size", 3);

  // It waits for its streams.
  session.close();
  first.respond({}, { endStream: true });
  await once(first, "close");
  expect(table).toHaveProperty("size", 2);
  expect(closed).not.toHaveBeenCalled();

  // It ends its streams.
  session.destroy();
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  expect(others.every(({ destroyed }) => destroyed)).toBe(true);
  expect(table).toHaveProperty("size", 0);
});

/** Returns the streams of a session as node has them. */
function streamsOf(session: ServerHttp2Session): unknown {
  const symbols = Object.getOwnPropertySymbols(session);
  const kState = symbols.find(({ description }) => description === "state") as symbol;
  return (session as unknown as Record<symbol, { streams: unknown }>)[kState]?.streams;
}
