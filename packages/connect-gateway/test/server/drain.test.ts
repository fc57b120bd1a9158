import { once } from "node:events";
import { constants } from "node:http2";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../../src/http/exchange/exchange.ts";
import { selfSigned } from "./support/certificate.ts";
import { connectHttp1 } from "./support/http1-client.ts";
import { connectHttp2, responseOf } from "./support/http2-client.ts";
import { opening, postUnfinished } from "./support/http2-frames.ts";
import { beginResponse, type Running, startListener } from "./support/listener.ts";

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`;
/** Longer than any test runs, in ms. */
const farLimitMs = 60_000;

/** Starts a listener. The test gets the response to a path with `held`, and finishes it. */
async function startHeld(): Promise<Running & { held(path: string): Promise<Exchange> }> {
  const waiting = new Map<string, PromiseWithResolvers<Exchange>>();
  const at = (path: string) => {
    const entry = waiting.get(path) ?? Promise.withResolvers<Exchange>();
    waiting.set(path, entry);
    return entry;
  };
  const running = await startListener({
    handle: (exchange) => at(String(exchange.url)).resolve(exchange),
  });
  return { ...running, held: (path) => at(path).promise };
}

describe("HTTP/1", () => {
  test("a response whose headers are already sent is completed, then the connection is closed", async () => {
    const { listener, port, held } = await startHeld();
    const client = await connectHttp1(port, get("/"));
    const response = await held("/");
    beginResponse(response, 4, "do");
    const drained = listener.drain(farLimitMs);
    response.end("ne");
    expect((await client.response()).body).toBe("done");
    expect(await client.closed()).toBe("");
    await drained;
  });

  test("idle connections are closed at once", async () => {
    const { listener, port, held } = await startHeld();
    const idle = await connectHttp1(port, get("/"));
    (await held("/")).end("done");
    await idle.response();
    const silent = await connectHttp1(port);
    await once(silent.socket, "connect");
    await listener.drain(farLimitMs);
    expect(await Promise.all([idle.closed(), silent.closed()])).toEqual(["", ""]);
  });

  test.each([
    ["a part of the preface", opening.subarray(0, 10)],
    ["a part of a header section", "GET / HTTP/1.1\r\nHost: te"],
    ["a request, and a part of the next header section", `${get("/")}GET / HTTP/1.1\r\nHo`],
    ["a part of an HTTP/2 header section", Buffer.concat([opening, postUnfinished(1)])],
  ])("is not held by %s", async (_, bytes) => {
    const { listener, port } = await startListener({
      handle: (response) => void response.setHeader("content-length", 4).end("done"),
    });
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {}).resume();
    const closed = once(socket, "close");
    socket.write(bytes);
    await once(socket, "connect");
    // The listener has read the bytes when it responds to a later connection.
    await (await connectHttp1(port, get("/later"))).response();
    await listener.drain(farLimitMs);
    await expect(closed).resolves.toBeDefined();
  });

  test("is not held by a TLS handshake that has begun", async () => {
    const { listener, port } = await startListener({
      handle: (response) => void response.end("done"),
      tls: selfSigned(),
    });
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {}).resume();
    await once(socket, "connect");
    socket.write(Buffer.from("16030102000100", "hex"));
    await listener.drain(farLimitMs);
    expect(listener.connections()).toEqual({ http1: 0, http2: 0 });
  });

  test("a request that is pipelined after it has begun is not served", async () => {
    const { listener, port, held } = await startHeld();
    const client = await connectHttp1(port, get("/1"));
    const first = await held("/1");
    const drained = listener.drain(farLimitMs);
    client.socket.write(get("/2"));
    first.end("one");
    const { body, headers } = await client.response();
    expect([body, headers.get("connection")]).toEqual(["one", "close"]);
    expect(await client.closed()).toBe("");
    await drained;
  });

  test("new connections are refused", async () => {
    const { listener, port } = await startHeld();
    await listener.drain(farLimitMs);
    await expect(once(connect(port, "127.0.0.1"), "connect")).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });
  });
});

describe("HTTP/2", () => {
  test("200 for a request in flight after GOAWAY, then the connection is closed", async () => {
    const { listener, url, held } = await startHeld();
    const session = connectHttp2(url);
    const stream = session.request({ ":path": "/" });
    const response = await held("/");
    const goaway = once(session, "goaway");
    const drained = listener.drain(farLimitMs);
    expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
    response.end("done");
    expect((await responseOf(stream)).body).toBe("done");
    await drained;
  });

  test("a connection without a stream is closed at once", async () => {
    const { listener, url } = await startHeld();
    const session = connectHttp2(url);
    await once(session, "remoteSettings");
    const closed = once(session, "close");
    await Promise.all([listener.drain(farLimitMs), closed]);
    expect(Object.values(listener.connections())).toEqual([0, 0]);
  });

  test("a client that ignores GOAWAY does not delay the drain", async () => {
    const { listener, port } = await startHeld();
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.write(opening);
    await once(socket, "data");
    socket.resume();
    await expect(listener.drain(farLimitMs)).resolves.toBeUndefined();
    socket.destroy();
  });
});

test("requests that are still in flight after the grace period are cut off", async () => {
  const { listener, port, url, held } = await startHeld();
  const http1 = await connectHttp1(port, get("/1"));
  const http2 = responseOf(connectHttp2(url).request({ ":path": "/2" }));
  // The client can have sent something that the server has not read.
  const cut = expect(http2).rejects.toThrow(/closed without a response|ECONNRESET/);
  await Promise.all([held("/1"), held("/2")]);
  await listener.drain(50);
  expect(await http1.closed()).toBe("");
  await cut;
});

test("a second call of drain returns the same promise", async () => {
  const { listener } = await startHeld();
  const first = listener.drain(farLimitMs);
  expect(listener.drain(0)).toBe(first);
  await first;
});
