import { once } from "node:events";
import { constants } from "node:http2";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { frameType, numberFrame, opening } from "../../../../test/support/http2-frames.ts";
import { until } from "../../../../test/system/harness/until.ts";
import { createHttp2Server } from "../../src/server/connections/http2-server.ts";
import type { RequestHandler } from "../../src/server/connections/listener-options.ts";
import { createReadScheduler } from "../../src/server/load/read-scheduler.ts";
import { connectHttp2, expectErrorForm, responseOf } from "./support/http2-client.ts";
import * as frames from "./support/http2-frames.ts";
import {
  beginResponse,
  echo,
  listenerOptions,
  readBody,
  startListener,
} from "./support/listener.ts";

const echoAll: RequestHandler = (exchange) => {
  const { method, url, httpVersion } = exchange;
  echo(exchange, (body) => `${method} ${url} ${httpVersion} ${body}`);
};

const post = { ":path": "/", ":method": "POST" };

describe("requests", () => {
  test("200 for concurrent requests on one connection", async () => {
    const all = Promise.withResolvers<void>();
    let received = 0;
    const { url } = await startListener({
      handle: async (exchange) => {
        received += 1;
        if (received === 100) all.resolve();
        await all.promise;
        exchange.end(String(exchange.url));
      },
    });
    const session = connectHttp2(url);
    const paths = Array.from({ length: 100 }, (_, index) => `/${index}`);
    const responses = await Promise.all(
      paths.map((path) => responseOf(session.request({ ":path": path }))),
    );
    expect(responses.map(({ body }) => body)).toEqual(paths);
  });

  test("100 only when the handler asks for it, then 200", async () => {
    const go = Promise.withResolvers<void>();
    const received = Promise.withResolvers<void>();
    const { url } = await startListener({
      handle: async (exchange) => {
        received.resolve();
        await go.promise;
        exchange.writeContinue();
        exchange.end(await readBody(exchange));
      },
    });
    const stream = connectHttp2(url).request({ ...post, expect: "100-Continue" });
    let continued = false;
    stream.on("continue", () => {
      continued = true;
      stream.end("hi");
    });
    await received.promise;
    expect(continued).toBe(false);
    go.resolve();
    expect((await responseOf(stream)).body).toBe("hi");
  });

  test("417 for any other expectation", async () => {
    const { url } = await startListener({ handle: echoAll });
    const stream = connectHttp2(url).request({ ...post, expect: "miracles" });
    expectErrorForm(await responseOf(stream), 417, "expectation_failed");
  });

  test("405 with an empty Allow for CONNECT", async () => {
    const { url } = await startListener({ handle: echoAll });
    const stream = connectHttp2(url).request({ ":method": "CONNECT", ":authority": "test:80" });
    const response = await responseOf(stream);
    expectErrorForm(response, 405, "method_not_allowed");
    expect(response.headers.allow).toBe("");
  });

  test("500 with the headers that were already set, and a call of onFault, when the handler throws", async () => {
    const fault = new Error("private");
    const { url, faults } = await startListener({
      handle: (response) => {
        response.setHeader("x-ratelimit-limit", "10");
        throw fault;
      },
    });
    const session = connectHttp2(url);
    const response = await responseOf(session.request({ ":path": "/" }));
    expectErrorForm(response, 500, "internal");
    expect(response.headers["x-ratelimit-limit"]).toBe("10");
    expect(faults).toEqual([fault]);
  });

  test("an unfinished response is reset when the handler throws", async () => {
    const { url } = await startListener({
      handle: (response) => {
        beginResponse(response, 8, "half");
        throw new Error("late");
      },
    });
    const stream = connectHttp2(url).request({ ":path": "/" });
    await expect(responseOf(stream)).rejects.toThrow("NGHTTP2_INTERNAL_ERROR");
  });
});

test("431 for HEAD has no content, and the connection stays open", async () => {
  const { url } = await startListener({ handle: echoAll });
  const session = connectHttp2(url);
  const long = { ":path": "/", ":method": "HEAD", "x-long": "x".repeat(20_000) };
  const { headers, body } = await responseOf(session.request(long));
  expect({ status: headers[":status"], body }).toEqual({ status: 431, body: "" });
  const next = await responseOf(session.request({ ":path": "/" }));
  expect(next.headers[":status"]).toBe(200);
});

describe("timeouts", () => {
  const fast = { headersTimeoutMs: 100, requestTimeoutMs: 200 };

  test("an unfinished response is reset when the body does not end", async () => {
    const { url } = await startListener({
      ...fast,
      handle: (response) => {
        beginResponse(response, 8, "half");
      },
    });
    const stream = connectHttp2(url).request(post);
    await responseOf(stream);
    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
  });

  test("GOAWAY with NO_ERROR on an idle connection", async () => {
    const { url } = await startListener({ keepAliveTimeoutMs: 100, handle: echoAll });
    const session = connectHttp2(url);
    const closed = once(session, "close");
    const [code] = await once(session, "goaway");
    expect(code).toBe(constants.NGHTTP2_NO_ERROR);
    await closed;
  });

  test("a connection with an open stream is not idle, even if nothing is sent", async () => {
    const received = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const { url } = await startListener({
      keepAliveTimeoutMs: 100,
      handle: async (response) => {
        received.resolve();
        await release.promise;
        response.end("done");
      },
    });
    const quiet = connectHttp2(url).request({ ":path": "/" });
    await received.promise;
    await once(connectHttp2(url), "close"); // opened later, and has timed out
    release.resolve();
    expect((await responseOf(quiet)).body).toBe("done");
  });
});

/** Sends pieces on a connection whose turn to begin has not come. */
async function sendBeforeTurn(handle: RequestHandler, pieces: readonly Buffer[]) {
  const accepted = Promise.withResolvers<Socket>();
  const acceptor = createServer((socket) => accepted.resolve(socket));
  onTestFinished(() => void acceptor.close());
  await once(acceptor.listen(0, "127.0.0.1"), "listening");
  const { port } = acceptor.address() as AddressInfo;
  const turn = Promise.withResolvers<() => void>();
  const faults: unknown[] = [];
  const server = createHttp2Server(
    { ...listenerOptions, handle, onThrow() {}, onFault: (fault) => faults.push(fault) },
    { ...createReadScheduler(), begin: (_, begin) => turn.resolve(begin) },
  );
  onTestFinished(() => server.drain(0));

  const received: Buffer[] = [];
  const client = connect(port, "127.0.0.1").on("data", (chunk) =>
    received.push(Buffer.from(chunk)),
  );
  onTestFinished(() => void client.destroy());
  const socket = await accepted.promise;
  server.accept(socket);
  const begin = await turn.promise;
  for (const bytes of pieces) {
    const before = socket.readableLength;
    client.write(bytes);
    // A socket that nothing reads has to be asked for more.
    socket.read(0);
    await until("the bytes have arrived", () => socket.readableLength === before + bytes.length);
  }
  return { server, client, begin, faults, text: () => Buffer.concat(received).toString("latin1") };
}

test("a connection that is invalid before its turn is closed, also when its bytes have arrived in several pieces", async () => {
  const overflow = numberFrame(frameType.windowUpdate, 0, 2 ** 31 - 1);
  const pieces = [Buffer.concat([opening(), overflow]), overflow];
  const { client, begin, faults } = await sendBeforeTurn(() => {}, pieces);
  begin();
  await once(client, "close");
  expect(faults).toEqual([]);
});

test("a connection whose turn comes while the server drains has its request served, and is closed", async () => {
  const pieces = [Buffer.concat([opening(), frames.get(1)])];
  const made = await sendBeforeTurn((response) => response.end("served"), pieces);
  made.server.drain(200);
  made.begin();
  await once(made.client, "close");
  expect(made.text()).toContain("served");
  expect(made.faults).toEqual([]);
});
