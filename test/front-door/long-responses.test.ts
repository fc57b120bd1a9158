import { constants } from "node:http2";
import { expect, test } from "vitest";
import { connectHttp1 } from "./support/http1-client.ts";
import { connectHttp2, responseOf } from "./support/http2-client.ts";
import { type Running, startListener } from "./support/listener.ts";

/** More than a socket takes at once. */
const long = "0123456789abcdef".repeat(100_000);

/** Answers with `long`, or with "short" on /short. */
function start(): Promise<Running> {
  return startListener({
    handle: async (request, response) => {
      const path = "stream" in request ? request.headers[":path"] : request.url;
      const body = path === "/short" ? "short" : long;
      response.setHeader("Content-Length", body.length);
      response.end(body);
    },
  });
}

test("long responses to 40 pipelined requests arrive whole", async () => {
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

test("a connection on which 500 long responses were cancelled one by one goes on", async () => {
  const { url, faults } = await start();
  const session = connectHttp2(url);
  for (let n = 0; n < 500; n += 1) {
    const stream = session.request({ ":path": "/long" });
    stream.on("error", () => {}); // a refused stream shows in the request after it
    const closed = new Promise((resolve) => stream.once("close", resolve));
    stream.once("data", () => stream.close(constants.NGHTTP2_CANCEL));
    await closed;
  }
  const { headers, body } = await responseOf(session.request({ ":path": "/short" }));
  expect([headers[":status"], body]).toEqual([200, "short"]);
  expect(faults).toEqual([]);
});
