import { constants } from "node:http2";
import { expect, test } from "vitest";
import type { Exchange } from "../../src/http/exchange/exchange.ts";
import { endWith } from "../../src/http/exchange/send-pieces.ts";
import { connectHttp1 } from "../server/support/http1-client.ts";
import { connectHttp2, responseOf } from "../server/support/http2-client.ts";
import { type Running, startListener } from "../server/support/listener.ts";

/** More than the send buffer of a socket takes. */
const long = "0123456789abcdef".repeat(100_000);

/** Starts a server that responds with `long`, or with "short" on /short. */
function start(): Promise<Running> {
  return startListener({
    handle: async (exchange) => {
      const path = exchange.url;
      const body = path === "/short" ? "short" : long;
      exchange.setHeader("content-length", body.length);
      exchange.end(body);
    },
  });
}

test("long responses to 40 pipelined requests are complete", async () => {
  const { port, faults } = await start();
  const { response } = await connectHttp1(
    port,
    "GET /long HTTP/1.1\r\nHost: test\r\n\r\n".repeat(40),
  );
  for (let n = 0; n < 40; n += 1) {
    const { status, body } = await response();
    expect([status, body.length]).toEqual([200, long.length]);
  }
  expect(faults).toEqual([]);
});

test("a long response that waits for an earlier one is complete", async () => {
  const first = Promise.withResolvers<Exchange>();
  const second = Promise.withResolvers<Exchange>();
  const { port, faults } = await startListener({
    handle: (exchange) => {
      if (exchange.url === "/first") first.resolve(exchange);
      else second.resolve(exchange);
    },
  });
  const get = (path: string) => `GET /${path} HTTP/1.1\r\nHost: test\r\n\r\n`;
  const { response } = await connectHttp1(port, get("first") + get("second"));
  const later = await second.promise;
  later.setHeader("content-length", long.length);
  endWith(later, Buffer.from(long));
  (await first.promise).setHeader("content-length", 5).end("first");
  expect((await response()).body).toBe("first");
  expect((await response()).body).toBe(long);
  expect(faults).toEqual([]);
});

test("200 on a connection after 500 long responses were cancelled one by one", async () => {
  const { url, faults } = await start();
  const session = connectHttp2(url);
  for (let n = 0; n < 500; n += 1) {
    const stream = session.request({ ":path": "/long" });
    stream.on("error", () => {}); // the last request shows whether a stream was refused
    const closed = new Promise((resolve) => stream.once("close", resolve));
    stream.once("data", () => stream.close(constants.NGHTTP2_CANCEL));
    await closed;
  }
  const { headers, body } = await responseOf(session.request({ ":path": "/short" }));
  expect([headers[":status"], body]).toEqual([200, "short"]);
  expect(faults).toEqual([]);
});
