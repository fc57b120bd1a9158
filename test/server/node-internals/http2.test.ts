import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from "node:http2";
import type { Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { endSession } from "../../../src/server/node-internals/end-session.ts";
import {
  followStream,
  hasWholeBody,
  type StreamFollower,
  startSession,
  takeWholeBody,
} from "../../../src/server/node-internals/http2-session.ts";
import { announceSettings } from "../../../src/server/node-internals/http2-settings.ts";
import { useStreamTable } from "../../../src/server/node-internals/http2-streams.ts";
import { listenForTest, socketPair } from "./support/connections.ts";

async function connectTo(server: Http2Server): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${await listenForTest(server)}`);
  session.on("error", () => {});
  onTestFinished(() => void session.destroy());
  return session;
}

/** A client whose first requests the server's socket has buffered. */
async function bufferedRequests(paths: readonly string[], minBytes: number): Promise<Socket> {
  const { client, served } = await socketPair();
  const session = connect("http://test", { createConnection: () => client });
  session.on("error", () => {});
  onTestFinished(() => void session.destroy());
  for (const path of paths) session.request({ ":path": path }).on("error", () => {});
  served.on("readable", () => {});
  await vi.waitFor(() => expect(served.readableLength).toBeGreaterThan(minBytes));
  served.removeAllListeners("readable");
  return served;
}

it("A server creates the session at once when it gets a socket", async () => {
  const { served } = await socketPair();
  const server = createServer();
  const begun = vi.fn<(session: ServerHttp2Session) => void>();
  server.on("session", begun);
  startSession(server, served);
  expect(begun).toHaveBeenCalledOnce();
});

it("A new session has processed the buffered bytes of its socket by the next tick, and can be closed then", async () => {
  const served = await bufferedRequests(["/1", "/2"], 60);
  const server = createServer();
  const paths: string[] = [];
  const closed = vi.fn<() => void>();
  server.on("session", (session) => {
    session.on("close", closed);
    process.nextTick(() => session.close());
  });
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    paths.push(headers[":path"] ?? "");
    stream.respond({}, { endStream: true });
  });
  startSession(server, served);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  expect(paths).toEqual(["/1", "/2"]);
});

it("The first bytes of a session are a SETTINGS frame of known length", async () => {
  const { client, served } = await socketPair();
  const settings = { maxHeaderListSize: 12_345 };
  const server = createServer({ settings });
  const begun = once(server, "session") as Promise<[ServerHttp2Session]>;
  announceSettings(served, { maxConcurrentStreams: 67 }, settings, () =>
    startSession(server, served),
  );
  const session = connect("http://test", { createConnection: () => client });
  onTestFinished(() => void session.destroy());
  const received = once(session, "remoteSettings") as Promise<[Settings]>;
  const [serverSession] = await begun;
  const acknowledged = once(serverSession, "localSettings");
  expect((await received)[0]).toMatchObject({ ...settings, maxConcurrentStreams: 67 });
  await acknowledged;
  expect(serverSession.pendingSettingsAck).toBe(false);
});

/** Does nothing. */
const follower: StreamFollower = {
  received() {},
  aborted() {},
  sendTrailers() {},
  failed() {},
  closed() {},
  fail() {},
};

it("A stream gets each DATA frame through `push`", async () => {
  const server = createServer();
  const pieces: [bytes: number, buffered: number][] = [];
  const streams: ServerHttp2Stream[] = [];
  server.on("stream", (stream: ServerHttp2Stream) => {
    followStream(stream, {
      ...follower,
      received: (bytes) => pieces.push([bytes, stream.readableLength]),
    });
    stream.respond();
    stream.write("begun");
    streams.push(stream);
  });
  const session = await connectTo(server);
  const request = session.request({ ":path": "/", ":method": "POST" });
  await once(request, "data");
  request.write("12345");
  await vi.waitFor(() => expect(pieces).toEqual([[5, 5]]));
  request.end("678");
  const all = [
    [5, 5],
    [3, 8],
    [0, 8],
  ];
  await vi.waitFor(() => expect(pieces).toEqual(all));
  const bodiless = session.request({ ":path": "/" });
  await once(bodiless, "data");
  for (const stream of streams) stream.end();
  await vi.waitFor(() => expect(streams.map(({ destroyed }) => destroyed)).toEqual([true, true]));
  expect(pieces).toEqual(all);
});

it("A stream calls its own `emit`, also for trailers, a reset and its end", async () => {
  const server = createServer();
  const seen: string[] = [];
  const error = new Error("thrown by a listener");
  server.on("stream", (stream: ServerHttp2Stream, { ":path": path }) => {
    const note = (what: string) => void seen.push(`${path} ${what}`);
    followStream(stream, {
      ...follower,
      sendTrailers() {
        note("wants trailers");
        stream.sendTrailers({ "x-end": "yes" });
      },
      aborted: () => note("aborted"),
      closed: () => note("closed"),
      fail: (thrown) => note(`threw: ${thrown === error}`),
    });
    if (path === "/reset") {
      note("open");
      return;
    }
    stream.on("finish", () => {
      throw error;
    });
    stream.respond({}, { waitForTrailers: true });
    stream.end("body");
  });
  const session = await connectTo(server);
  const request = session.request({ ":path": "/whole" });
  const [trailers] = await once(request.resume(), "trailers");
  expect(trailers["x-end"]).toBe("yes");
  await vi.waitFor(() => expect(seen).toContain("/whole closed"));
  expect(seen.toSorted()).toEqual(["/whole closed", "/whole threw: true", "/whole wants trailers"]);
  seen.length = 0;
  const cut = session.request({ ":path": "/reset", ":method": "POST" }).on("error", () => {});
  cut.write("begun");
  await vi.waitFor(() => expect(seen).toEqual(["/reset open"]));
  cut.close(constants.NGHTTP2_CANCEL);
  await vi.waitFor(() => expect(seen).toEqual(["/reset open", "/reset aborted", "/reset closed"]));
});

it("Before a read, a stream knows whether its whole body has arrived", async () => {
  const server = createServer();
  const streams: ServerHttp2Stream[] = [];
  server.on("stream", (stream: ServerHttp2Stream) => {
    followStream(stream, follower);
    streams.push(stream);
  });
  const session = await connectTo(server);
  const request = session.request({ ":path": "/", ":method": "POST" });
  request.write("12345");
  await vi.waitFor(() => expect(streams[0]?.readableLength).toBe(5));
  const [stream] = streams as [ServerHttp2Stream];
  expect(hasWholeBody(stream)).toBe(false);
  request.end("678");
  await vi.waitFor(() => expect(hasWholeBody(stream)).toBe(true));
  expect(String(takeWholeBody(stream))).toBe("12345678");
  await once(stream, "end");
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

it("A session can be destroyed in the next phase of the event loop", async () => {
  const paths = Array.from({ length: 50 }, (_, index) => `/${index}`);
  const served = await bufferedRequests(paths, 500);
  const server = createServer();
  const streams: ServerHttp2Stream[] = [];
  server.on("session", (session) =>
    session.on("stream", (stream) => {
      stream.on("error", () => {});
      streams.push(stream);
      endSession(session);
    }),
  );
  startSession(server, served);
  await once(served, "close");
  expect(streams).toHaveLength(paths.length);
});
