import { once } from "node:events";
import { request } from "node:http";
import { type ClientHttp2Stream, constants } from "node:http2";
import type { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectHttp2, expectErrorForm, responseOf } from "./support/http2-client.ts";
import { echo, readBody, startListener } from "./support/listener.ts";

/** A request whose body is open, and its response. */
interface Post {
  readonly body: Writable & { readonly rstCode?: ClientHttp2Stream["rstCode"] };
  readonly response: ReturnType<typeof responseOf>;
}

function postHttp1(url: string) {
  return (path = "/"): Post => {
    const body = request(`${url}${path}`, { method: "POST" }).on("error", () => {});
    onTestFinished(() => void body.destroy());
    const response = once(body, "response").then(async ([received]) => ({
      headers: { ...received.headers, ":status": received.statusCode },
      body: await text(received),
    }));
    return { body, response };
  };
}

function postHttp2(url: string) {
  const session = connectHttp2(url);
  return (path = "/"): Post => {
    const body = session.request({ ":path": path, ":method": "POST" });
    return { body, response: responseOf(body) };
  };
}

describe.each([
  ["HTTP/1.1", postHttp1],
  ["HTTP/2", postHttp2],
] as const)("timeouts of %s", (_, connect) => {
  const fast = { headersTimeoutMs: 100, requestTimeoutMs: 200 };

  test("408 when the body does not end, with the headers that were already set", async () => {
    const { url } = await startListener({
      ...fast,
      handle(exchange) {
        exchange.setHeader("x-ratelimit-limit", "10");
        exchange.setHeader("etag", '"of a response that is never sent"');
        echo(exchange);
      },
    });
    const post = connect(url);
    const { body, response } = post();
    body.write("h");
    const received = await response;
    expectErrorForm(received, 408, "deadline_exceeded");
    expect(received.headers["x-ratelimit-limit"]).toBe("10");
    expect(received.headers).not.toHaveProperty("etag");
    expect(body.rstCode ?? 0).toBe(constants.NGHTTP2_NO_ERROR);
    const next = post();
    next.body.end("next");
    expect((await next.response).body).toBe("next");
  });

  test.each([
    ["timeout", () => {}],
    ["client", (body: Writable) => body.destroy()],
  ])("a handler never takes a body cut off by the %s for a complete one", async (_by, cut) => {
    const begun = Promise.withResolvers<void>();
    const outcome = Promise.withResolvers<string>();
    const { url } = await startListener({
      ...fast,
      handle(exchange) {
        exchange.body.once("data", () => begun.resolve());
        readBody(exchange).then(outcome.resolve, outcome.reject);
      },
    });
    const { body, response } = connect(url)();
    response.catch(() => {});
    body.write("h");
    await begun.promise;
    cut(body);
    await expect(outcome.promise).rejects.toThrow();
  });

  test("200 however long the response takes, once the body has arrived", async () => {
    const release = Promise.withResolvers<void>();
    const received = Promise.withResolvers<void>();
    const { url } = await startListener({
      ...fast,
      async handle(exchange) {
        if (exchange.url === "/long") {
          received.resolve();
          await release.promise;
        }
        exchange.end(await readBody(exchange).catch(() => ""));
      },
    });
    const post = connect(url);
    const long = post("/long");
    long.body.end("done");
    await received.promise;
    const slow = post();
    slow.body.write("h");
    expect((await slow.response).headers[":status"]).toBe(408); // began later
    release.resolve();
    expect((await long.response).body).toBe("done");
  });
});
