import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RequestHandler } from "../../packages/connect-gateway/src/server/connections/listener-options.ts";
import {
  connectHttp2,
  responseOf,
} from "../../packages/connect-gateway/test/server/support/http2-client.ts";
import * as frames from "../../packages/connect-gateway/test/server/support/http2-frames.ts";
import { startListener } from "../../packages/connect-gateway/test/server/support/listener.ts";
import { connectRaw } from "../../packages/connect-gateway/test/server/support/raw-http2.ts";
import {
  flag,
  framesOf,
  frameType,
  headersFrame,
  numberFrame,
  opening,
  pseudo,
  setting,
} from "../support/http2-frames.ts";
import { startLiveServer } from "../system/harness/live-server.ts";
import { startRedisServer } from "../system/harness/redis-server.ts";
import { until } from "../system/harness/until.ts";

/** Longer than any test runs, in ms. */
const farLimitMs = 60_000;
const done: RequestHandler = (response) => response.end("done");

describe("GOAWAY names the last request that is served (RFC 9113, section 6.8)", () => {
  test.each([
    ["when the server drains", farLimitMs],
    ["when the connection is idle", 100],
  ])("%s, and the connection closes", async (_when, keepAliveTimeoutMs) => {
    const { port, listener } = await startListener({ handle: done, keepAliveTimeoutMs });
    const client = await connectRaw(port);
    client.socket.write(Buffer.concat([frames.get(1), frames.get(3)]));
    await until("the responses came", () => client.of(frameType.headers).length === 2);
    const ended = once(client.socket, "end");
    const drained = keepAliveTimeoutMs === farLimitMs ? listener.drain(farLimitMs) : undefined;
    await ended;
    expect(client.lastStreams()).toEqual([3]);
    await drained;
  });

  test("while a request is open: later ones are not served, and node's client reports that they can be sent again", async () => {
    const begun: (() => void)[] = [];
    const { url, listener } = await startListener({
      handle: (response) => void begun.push(() => response.end("done")),
    });
    const session = connectHttp2(url);
    const first = responseOf(session.request({ ":path": "/" }));
    await until("the first request has begun", () => begun.length === 1);
    const drained = listener.drain(farLimitMs);
    // The client has not read GOAWAY yet.
    const late = session.request({ ":path": "/" });
    expect(await once(late, "error")).toMatchObject([
      { message: expect.stringMatching("REFUSED_STREAM") },
    ]);
    begun[0]?.();
    expect((await first).body).toBe("done");
    await drained;
    expect(begun).toHaveLength(1);
  });
});

test("a client that does not read while the server drains receives complete responses afterwards", async () => {
  const redis = await startRedisServer();
  onTestFinished(redis.stop);
  const server = await startLiveServer({ LOG_LEVEL: "info", REDIS_URL: redis.url });
  onTestFinished(server.kill);
  const socket = connect(server.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const received: Buffer[] = [];
  socket.on("error", () => {});
  socket.write(opening({ [setting.initialWindowSize]: 0x7fffffff }));
  socket.write(numberFrame(frameType.windowUpdate, 0, 0x7fff0000));
  const [first] = (await once(socket, "data")) as [Buffer];
  socket.write(frames.settingsAck);
  socket.pause();
  const path = "/openapi.json";
  const streams = Array.from({ length: 40 }, (_, n) => 1 + 2 * n);
  socket.write(Buffer.concat(streams.map((id) => headersFrame(id, pseudo("GET", path)))));
  const other = connectHttp2(`http://127.0.0.1:${server.port}`);
  // The server has handled all earlier frames.
  await responseOf(other.request({ ":path": "/livez" }));
  process.kill(server.pid, "SIGTERM");
  await once(other, "goaway");
  socket.on("data", (chunk: Buffer) => received.push(chunk)).resume();
  const closed = once(socket, "close");
  await until("the server has ended", () => server.ended, 20_000);
  expect(server.ended).toBe("exit code 0");
  await closed;
  const ended = framesOf(Buffer.concat([first, ...received])).filter(
    ({ type, flags }) => type === frameType.data && flags & flag.endStream,
  );
  expect(ended).toHaveLength(streams.length);
});
