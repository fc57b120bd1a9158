import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { Http2Exchange } from "../../packages/connect-gateway/src/http/exchange/http2-exchange.ts";
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

const highest = 2 ** 31 - 1;

describe("the server closes a connection in two steps (RFC 9113, section 6.8)", () => {
  test.each([
    ["when the server drains", farLimitMs],
    ["when it is idle", 100],
  ])(
    "%s: 200 for requests that the client sent before it received GOAWAY",
    async (_when, keepAliveTimeoutMs) => {
      const { port, listener } = await startListener({ handle: done, keepAliveTimeoutMs });
      const client = await connectRaw(port);
      client.socket.write(frames.get(1));
      await until("a response came", () => client.of(frameType.headers).length === 1 || undefined);
      const drained = keepAliveTimeoutMs === farLimitMs ? listener.drain(farLimitMs) : undefined;
      await until("the PING came", () => client.of(frameType.ping).length === 1 || undefined);
      expect(client.lastStreams()).toEqual([highest]);
      client.socket.write(Buffer.concat([frames.get(3), frames.get(5)]));
      await until(
        "all responses came",
        () => client.of(frameType.headers).length === 3 || undefined,
      );
      expect(client.lastStreams()).toEqual([highest]);
      const ended = once(client.socket, "end");
      client.acknowledge();
      await ended;
      expect(client.lastStreams()).toEqual([highest, 5]);
      await drained;
    },
  );

  test("the first GOAWAY is never written into the middle of another frame", async () => {
    const piece = Buffer.alloc(50_000, "x");
    const { url, listener } = await startListener({
      handle(response) {
        if (!(response instanceof Http2Exchange)) return;
        const { stream } = response;
        stream.respond({});
        let left = 40;
        const send = () => {
          while (left > 0) {
            left -= 1;
            if (!stream.write(piece)) return void stream.once("drain", send);
          }
          stream.end();
        };
        send();
      },
    });
    const sessions = Array.from({ length: 10 }, () => connectHttp2(url));
    const received = sessions.flatMap((session) =>
      Array.from({ length: 5 }, async () => {
        let bytes = 0;
        const stream = session.request({ ":path": "/" });
        for await (const chunk of stream) bytes += chunk.length;
        return [bytes, stream.rstCode];
      }),
    );
    await Promise.all(sessions.map((session) => once(session, "remoteSettings")));
    const drained = listener.drain(farLimitMs);
    expect(await Promise.all(received)).toEqual(received.map(() => [40 * piece.length, 0]));
    await drained;
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
