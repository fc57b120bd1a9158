import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Stream,
} from "node:http2";
import { expect, it, onTestFinished, vi } from "vitest";
import {
  followStream,
  hasWholeBody,
  type StreamFollower,
  takeWholeBody,
} from "../../../src/server/node-internals/http2-session.ts";
import { listenForTest } from "./support/connections.ts";

async function connectTo(server: Http2Server): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${await listenForTest(server)}`);
  session.on("error", () => {});
  onTestFinished(() => void session.destroy());
  return session;
}

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
