import { once } from "node:events";
import { connect as connectH2, constants } from "node:http2";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/system/harness/until.ts";
import type { Exchange } from "../../src/http/exchange/exchange.ts";
import { endWith } from "../../src/http/exchange/send-pieces.ts";
import type { RequestHandler } from "../../src/server/connections/listener-options.ts";
import { selfSigned } from "./support/certificate.ts";
import { largeWindows, opening, post, postUnfinished, settings } from "./support/http2-frames.ts";
import { startListener } from "./support/listener.ts";

/** More than the kernel buffers for a client that does not read. */
const long = Buffer.alloc(32 * 1024 * 1024, "x");
const sendTimeoutMs = 400;
const tls = selfSigned();
const get = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";

/** A handler that sends a long body, and collects the responses. */
function sendingLong() {
  const responses: Exchange[] = [];
  const handle: RequestHandler = (response) => {
    responses.push(response);
    response.setHeader("content-length", long.length);
    endWith(response, long);
  };
  return { handle, responses };
}

/** A handler that repeats a stream message until the client stops reading, as a watch does. */
const streaming: RequestHandler = (response) => {
  const send = () => {
    while (response.write(long.subarray(0, 16_384)));
    response.once("drain", send);
  };
  send();
};

describe("after SEND_TIMEOUT_MS without progress, the server resets", () => {
  test.each([
    ["a long response", sendingLong().handle],
    ["a stream", streaming],
  ])("%s over HTTP/1.1", async (_name, send) => {
    const responses: Exchange[] = [];
    const dropped: string[] = [];
    const { port } = await startListener({
      handle: (exchange) => {
        responses.push(exchange);
        send(exchange);
      },
      sendTimeoutMs,
      onConnectionDropped: (cause) => dropped.push(cause),
    });
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write(get);
    const started = performance.now();
    await until("the response is given up", () => responses[0]?.destroyed);
    expect(performance.now() - started).toBeGreaterThan(sendTimeoutMs);
    expect(dropped).toEqual(["SEND_TIMEOUT"]);
    // A reset rather than an end: the kernel has dropped its send buffer.
    socket.resume();
    const [error] = await once(socket, "error");
    expect(error).toMatchObject({ code: "ECONNRESET" });
  });

  test("connections over TLS whose responses are in the kernel, all at once", async () => {
    const short = Buffer.alloc(1024 * 1024, "x");
    const connections: (Socket | undefined)[] = [];
    const dropped: string[] = [];
    const { port, faults } = await startListener({
      onConnectionDropped: (cause) => dropped.push(cause),
      handle(exchange) {
        connections.push(exchange.socket);
        exchange.end(short);
      },
      sendTimeoutMs,
      unread: { maxBytes: 1e9, maxBytesPerAddress: 1e9 },
      tls,
    });
    for (let n = 0; n < 5; n++) {
      const socket = connectTls({ port, host: "127.0.0.1", ca: tls.cert, servername: "localhost" });
      onTestFinished(() => void socket.destroy());
      socket.on("secureConnect", () => socket.write(get));
      socket.on("error", () => {});
      socket.pause();
    }
    await until("all responses have begun", () => connections.length === 5);
    await until("all are reset", () => connections.every((socket) => socket?.destroyed));
    expect([dropped, faults]).toEqual([Array(5).fill("SEND_TIMEOUT"), []]);
  });

  test.each([
    ["a short response", ((response) => response.end("short")) as RequestHandler],
    ["a long response", sendingLong().handle],
    ["a stream", streaming],
  ])("only the stream of %s over HTTP/2 to a client with a window of 0", async (_name, handle) => {
    const { url } = await startListener({
      handle: (exchange) => (exchange.url === "/ok" ? exchange.end() : handle(exchange)),
      sendTimeoutMs,
    });
    const session = connectH2(url, { settings: { initialWindowSize: 0 } });
    onTestFinished(() => session.destroy());
    const stream = session.request({ ":path": "/stalled" });
    stream.on("error", () => {});
    await once(stream, "close").catch(() => []);
    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
    const next = session.request({ ":path": "/ok" });
    const [headers] = await once(next, "response");
    expect(headers[":status"]).toBe(200);
  });

  test("the connection of an HTTP/2 client with large windows that does not read", async () => {
    const { handle, responses } = sendingLong();
    const { port } = await startListener({ handle, sendTimeoutMs });
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write(Buffer.concat([opening, largeWindows, post(1)]));
    await until("the response is given up", () => responses[0]?.destroyed);
    socket.resume();
    const [error] = await once(socket, "error");
    expect(error).toMatchObject({ code: "ECONNRESET" });
  });
});

test("a slow client receives the whole of a long response", async () => {
  const { handle } = sendingLong();
  // Far longer than a pause of the client, and shorter than all pauses together.
  const [timeoutMs, pauseMs] = [2_000, 500];
  const { port } = await startListener({ handle, sendTimeoutMs: timeoutMs });
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let length = 0;
  let pauseAt = 0;
  const begun = performance.now();
  socket.on("data", (chunk) => {
    length += chunk.length;
    if (length > pauseAt) {
      pauseAt += 8e6;
      socket.pause();
      setTimeout(() => socket.resume(), pauseMs);
    }
  });
  socket.on("error", () => {});
  socket.write(get);
  await until(
    "the client has read everything, or the connection is closed",
    () => length > long.length || socket.destroyed,
    15_000,
  );
  expect(length).toBeGreaterThan(long.length);
  expect(performance.now() - begun).toBeGreaterThan(timeoutMs);
});

test("an idle stream is not reset", async () => {
  const { url } = await startListener({
    handle: (response) => {
      response.write("first");
      setTimeout(() => response.end(" last"), 4 * sendTimeoutMs);
    },
    sendTimeoutMs,
  });
  const session = connectH2(url);
  onTestFinished(() => session.destroy());
  const stream = session.request();
  let body = "";
  stream.setEncoding("utf8").on("data", (text) => {
    body += text;
  });
  await once(stream, "end");
  expect(body).toBe("first last");
});

test.each([
  ["opens no stream", Buffer.alloc(0)],
  ["begins a header block and does not end it", postUnfinished(1)],
])("an HTTP/2 client that %s and never closes is cut off", async (_what, bytes) => {
  const { port } = await startListener({ keepAliveTimeoutMs: 100, handle: () => {} });
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.write(Buffer.concat([opening, bytes]));
  socket.resume();
  await once(socket, "end");
  const reset = once(socket, "error");
  const probe = setInterval(() => socket.write(settings), 10);
  onTestFinished(() => clearInterval(probe));
  // Only a destroyed socket responds with a reset.
  const [{ code }] = await reset;
  expect(["ECONNRESET", "EPIPE"]).toContain(code);
});
