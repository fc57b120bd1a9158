import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../../src/http/exchange/exchange.ts";
import type {
  ListenerOptions,
  RequestHandler,
} from "../../src/server/connections/listener-options.ts";
import { connectHttp1, expectErrorForm, expectFinalError } from "./support/http1-client.ts";
import { beginResponse, echo, readBody, startListener } from "./support/listener.ts";

const host = "Host: test\r\n";

const echoAll: RequestHandler = (exchange) => {
  const { method, url, httpVersion } = exchange;
  echo(exchange, (body) => `${method} ${url} ${httpVersion} ${body}`);
};

/** Sets the limit headers before it reads the body, as admission does. */
const limited: RequestHandler = (exchange) => {
  exchange.setHeader("x-ratelimit-limit", "10");
  exchange.setHeader("etag", '"of a exchange that is never sent"');
  echo(exchange);
};

const early: RequestHandler = (response) => {
  response.writeHead(401, { "content-length": 4 }).end("who?");
};

/** Sends `bytes` to a new listener. @returns the client */
async function send(bytes: string, handle: RequestHandler, options: Partial<ListenerOptions> = {}) {
  const { port } = await startListener({ ...options, handle });
  return connectHttp1(port, bytes);
}

describe("requests", () => {
  test("200, and the connection serves the next request", async () => {
    const client = await send(`GET /a HTTP/1.1\r\n${host}\r\n`, echoAll);
    expect((await client.response()).body).toBe("GET /a 1.1 ");
    client.socket.write(`PUT /b HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nxyz`);
    expect((await client.response()).body).toBe("PUT /b 1.1 xyz");
  });

  test("200 for HTTP/1.0 without Host, then the connection is closed", async () => {
    const client = await send("GET / HTTP/1.0\r\n\r\n", (exchange) => {
      exchange.setHeader("content-length", "3");
      exchange.end(exchange.httpVersion);
    });
    expect((await client.response()).body).toBe("1.0");
    expect(await client.closed()).toBe("");
  });

  test("200 for HTTP/1.0 with Transfer-Encoding, then the connection is closed", async () => {
    const fields = "Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n";
    const bytes = `PUT / HTTP/1.0\r\n${fields}\r\n2\r\nhi\r\n0\r\n\r\n`;
    const client = await send(bytes, async (exchange) => {
      const body = await readBody(exchange);
      exchange.setHeader("content-length", body.length);
      exchange.end(body);
    });
    expect((await client.response()).body).toBe("hi");
    expect(await client.closed()).toBe("");
  });

  test.each(["", "GET /next HTTP/1.1\r\nHost: test\r\n\r\n"])(
    "200 for a request with Upgrade, which is ignored, then the connection is closed (after it: %j)",
    async (next) => {
      const fields = "Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n";
      const client = await send(`POST / HTTP/1.1\r\n${host}${fields}\r\nhi${next}`, echoAll);
      const response = await client.response();
      expect(response.body).toBe("POST / 1.1 hi");
      expect(response.headers.get("connection")).toBe("close");
      expect(await client.closed()).toBe("");
    },
  );

  test("all headers reach the handler, however many there are within the limit", async () => {
    const fields = Array.from({ length: 1_500 }, () => "a: b\r\n").join("");
    const client = await send(`GET / HTTP/1.1\r\n${host}${fields}\r\n`, (exchange) =>
      exchange.end(String(exchange.rawHeaders.length / 2)),
    );
    expect((await client.response()).body).toBe("1501");
  });
});

describe("Expect", () => {
  const expecting = `POST / HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`;

  test("100 only when the handler asks for it, then 200", async () => {
    const received = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const client = await send(expecting, async (exchange) => {
      received.resolve();
      await go.promise;
      exchange.writeContinue();
      exchange.end(await readBody(exchange));
    });
    await received.promise;
    expect(client.socket.bytesRead).toBe(0);
    go.resolve();
    expect((await client.response()).status).toBe(100);
    client.socket.write("hi");
    expect((await client.response()).body).toBe("hi");
  });

  test("401 without 100 closes the connection, because the body may or may not follow", async () => {
    const client = await send(expecting, early);
    const response = await client.response();
    expect(response.status).toBe(401);
    expect(response.headers.get("connection")).toBe("close");
    expect(await client.closed()).toBe("");
  });

  test("417 for any other expectation", async () => {
    const client = await send(expecting.replace("100-continue", "miracles"), echoAll);
    await expectFinalError(client, 417, "expectation_failed");
  });
});

describe("malformed requests", () => {
  const put = `PUT / HTTP/1.1\r\n${host}`;
  const headerFields = (bytes: number) => `X-Long: ${"x".repeat(bytes - 10)}\r\n`;
  const chunked = `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`;

  test.each([
    ["a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["something like the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"],
    ["a method never heard of", `FETCH / HTTP/1.1\r\n${host}\r\n`],
    ["a method of RTSP", `DESCRIBE / HTTP/1.1\r\n${host}\r\n`],
    ["RTSP of another version than those of HTTP/1", `GET / RTSP/2.0\r\n${host}\r\n`],
    ["HTTP/2.0 without its preface", `GET / HTTP/2.0\r\n${host}\r\n`],
    ["HTTP/0.9", `GET / HTTP/0.9\r\n${host}\r\n`],
    ["HTTP/0.9 without a version", "GET /\r\n\r\n"],
    ["HTTP/1.2", `GET / HTTP/1.2\r\n${host}\r\n`],
    ["a version in lower case", `GET / http/1.1\r\n${host}\r\n`],
    ["a folded header", `GET / HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`],
    ["a bare LF", `GET / HTTP/1.1\nHost: test\n\n`],
    ["a bare CR", `GET / HTTP/1.1\r\n${host}X: a\rY: b\r\n\r\n`],
    ["a target in authority-form", `GET test:80 HTTP/1.1\r\n${host}\r\n`],
    ["the HTTP/2 preface after a blank line", "\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["a version never heard of", `GET / HTTP/4.2\r\n${host}\r\n`],
    ["a space in the target", `GET /a b HTTP/1.1\r\n${host}\r\n`],
    ["a space before the colon", `GET / HTTP/1.1\r\n${host}X : y\r\n\r\n`],
    ["a NUL in a value", `GET / HTTP/1.1\r\n${host}X: \0\r\n\r\n`],
    ["no Host", "GET / HTTP/1.1\r\n\r\n"],
    ["a Content-Length that is not a number", `${put}Content-Length: 0x2\r\n\r\nhi`],
    ["two Content-Lengths", `${put}Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi!`],
    [
      "Content-Length together with Transfer-Encoding",
      `${put}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ...["+2", "-2", "2, 2", "2 2", "", "18446744073709551618"].map((length) => [
      `a Content-Length of "${length}"`,
      `${put}Content-Length: ${length}\r\n\r\nhi`,
    ]),
    ["the same Content-Length twice", `${put}${"Content-Length: 2\r\n".repeat(2)}\r\nhi`],
    ...[
      "gzip",
      "gzip, chunked",
      "identity",
      "chunked, chunked",
      ", chunked",
      "chunked,",
      "chunked;x=y",
      '"chunked"',
      "xchunked",
      "",
      "gzip\r\nTransfer-Encoding: chunked",
      "chunked\r\nTransfer-Encoding: chunked",
      "chunked\r\nTransfer-Encoding: identity",
    ].map((coding) => [
      `a Transfer-Encoding of ${JSON.stringify(coding)}`,
      `${put}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`,
    ]),
  ])("400 for %s", async (_what, bytes) => {
    await expectFinalError(await send(bytes, echoAll), 400, "invalid_argument");
  });

  test("400 with the parser's reason for a header without a colon", async () => {
    const client = await send(`GET / HTTP/1.1\r\n${host}bad header\r\n\r\n`, echoAll);
    expect(JSON.parse((await client.response()).body).message).toBe(
      "The HTTP/1 request is malformed: Invalid header token",
    );
  });

  // The parser does not report which protocol the request line names.
  test.each(["GET / RTSP/1.0\r\n", "OPTIONS / RTSP/1.0\r\n", "GET / HTTP/1.0\r\n"])(
    "the response does not depend on how reads cut the line %j",
    async (line) => {
      const { port, listener } = await startListener({
        handle: (exchange) =>
          void exchange.setHeader("content-length", "3").end(exchange.httpVersion),
      });
      const request = `${line}Connection: keep-alive\r\n\r\n`;
      const whole = await connectHttp1(port, request);
      expect((await whole.response()).body).toBe("1.0");
      const cut = await connectHttp1(port, request.slice(0, 9));
      // The first part has been read.
      await expect.poll(() => listener.connections().http1).toBe(2);
      cut.socket.write(request.slice(9));
      expect((await cut.response()).body).toBe("1.0");
      // The next request of the connection.
      cut.socket.write(request);
      expect((await cut.response()).body).toBe("1.0");
    },
  );

  test.each(["1.0", "1.1"])(
    "a body may contain a request line of RTSP, on a kept connection too (HTTP/%s)",
    async (version) => {
      const body = "a\r\nA / RTSP/1.0\r\nb";
      const request = `POST / HTTP/${version}\r\n${host}Connection: keep-alive\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const client = await send(
        request,
        (response) => void response.setHeader("content-length", "2").end("ok"),
      );
      expect((await client.response()).body).toBe("ok");
      client.socket.write(request);
      expect((await client.response()).body).toBe("ok");
    },
  );

  test("200 with headers of 10,000 bytes, 431 with 20,000", async () => {
    const { port } = await startListener({ handle: echoAll });
    const fits = await connectHttp1(port, `GET / HTTP/1.1\r\n${host}${headerFields(10_000)}\r\n`);
    expect((await fits.response()).status).toBe(200);
    const over = await connectHttp1(port, `GET / HTTP/1.1\r\n${host}${headerFields(20_000)}\r\n`);
    await expectFinalError(over, 431, "header_fields_too_large");
  });

  test("413 for endless chunk extensions", async () => {
    const client = await send(`${chunked}1;${"x".repeat(20_000)}`, limited);
    await expectFinalError(client, 413, "payload_too_large");
  });

  test("400 for a malformed chunk, with the headers that were already set", async () => {
    const client = await send(`${chunked}no number\r\n`, limited);
    const { headers } = await expectFinalError(client, 400, "invalid_argument");
    expect(headers.get("x-ratelimit-limit")).toBe("10");
    expect(headers.has("etag")).toBe(false);
  });

  test("400 without a body for a malformed chunk of HEAD", async () => {
    const client = await send(`${chunked.replace("POST", "HEAD")}no number\r\n`, limited);
    const { status, headers } = await client.response("HEAD");
    expect(status).toBe(400);
    expect(Number(headers.get("content-length"))).toBeGreaterThan(0);
    expect(await client.closed()).toBe("");
  });

  test("no second response if the body turns out malformed after the response", async () => {
    const client = await send(`${chunked}no number\r\n`, early);
    expect((await client.response()).status).toBe(401);
    expect(await client.closed()).toBe("");
  });

  test("a response in progress is cut off if the body of the request turns out malformed", async () => {
    const begun = Promise.withResolvers<void>();
    const client = await send(chunked, (response) => {
      beginResponse(response, 100, "half");
      begun.resolve();
    });
    await begun.promise;
    client.socket.write("no number\r\n");
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*half$/);
  });

  test("400 for a malformed request comes after the pending responses", async () => {
    const release = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const slow = `GET /slow HTTP/1.1\r\n${host}\r\n`;
    const client = await send(`${slow}${chunked}no number\r\n`, async (exchange) => {
      if (exchange.url === "/slow") {
        await release.promise;
        exchange.end("slow");
      } else {
        limited(exchange);
        second.resolve();
      }
    });
    await second.promise;
    release.resolve();
    expect((await client.response()).body).toBe("slow");
    const { headers } = await expectFinalError(client, 400, "invalid_argument");
    expect(headers.get("x-ratelimit-limit")).toBe("10");
  });

  test("400 for garbage after a request comes after the response to the request", async () => {
    const received = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const client = await send(`GET / HTTP/1.1\r\n${host}\r\nGARBAGE\r\n\r\n`, async (response) => {
      received.resolve();
      await release.promise;
      response.end("slow");
    });
    await received.promise;
    release.resolve();
    expect((await client.response()).body).toBe("slow");
    await expectFinalError(client, 400, "invalid_argument");
  });

  test("no request is served after one that closes the connection", async () => {
    const served: unknown[] = [];
    const bytes = `GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n${host}\r\n`;
    const client = await send(bytes, (exchange) => {
      served.push(exchange.url);
      exchange.end();
    });
    await expectFinalError(client, 400, "invalid_argument");
    expect(served).toEqual([]);
  });

  test("400 if the client ends its side within the body", async () => {
    const { port } = await startListener({ handle: limited });
    const client = await connectHttp1(port);
    client.socket.end(`${put}Content-Length: 5\r\n\r\nhi`);
    await expectFinalError(client, 400, "invalid_argument");
  });

  test.each([
    ["", ""],
    ["with a body", "Content-Length: 5\r\n"],
  ])("405 with an empty Allow for CONNECT %s", async (_how, fields) => {
    const client = await send(`CONNECT test:80 HTTP/1.1\r\n${host}${fields}\r\n`, echoAll);
    const { headers } = await expectFinalError(client, 405, "method_not_allowed");
    expect(headers.get("allow")).toBe("");
  });
});

describe("timeouts", () => {
  const fast = { headersTimeoutMs: 100, requestTimeoutMs: 200, keepAliveTimeoutMs: 60_000 };

  test("408 when the header section does not end", async () => {
    const client = await send(`GET / HTTP/1.1\r\n${host}X: `, echoAll, fast);
    await expectFinalError(client, 408, "deadline_exceeded");
  });

  test("408 when the header section of the second request does not end", async () => {
    const client = await send(`GET / HTTP/1.1\r\n${host}\r\nG`, echoAll, fast);
    expect((await client.response()).status).toBe(200);
    await expectFinalError(client, 408, "deadline_exceeded");
  });

  test("an idle keep-alive connection is closed", async () => {
    const client = await send(`GET / HTTP/1.1\r\n${host}\r\n`, echoAll, {
      keepAliveTimeoutMs: 100,
    });
    expect((await client.response()).headers.get("connection")).toBe("keep-alive");
    expect(await client.closed()).toBe("");
  });
});

describe("handlers that throw", () => {
  test("500 with the headers that were already set, and a call of onFault", async () => {
    const fault = new Error("private");
    const { port, faults } = await startListener({
      handle: (response) => {
        response.setHeader("x-ratelimit-limit", "10");
        response.setHeader("content-encoding", "gzip");
        throw fault;
      },
    });
    const client = await connectHttp1(port, `GET / HTTP/1.1\r\n${host}\r\n`);
    const response = await client.response();
    expectErrorForm(response, 500, "internal");
    expect(response.body).not.toContain("private");
    expect(response.headers.get("x-ratelimit-limit")).toBe("10");
    expect(response.headers.has("content-encoding")).toBe(false);
    expect(faults).toEqual([fault]);
  });

  test("an unfinished response is cut off, and a finished one is sent", async () => {
    const { port, faults } = await startListener({
      handle: (exchange) => {
        beginResponse(exchange, 4, "ha");
        if (exchange.url === "/whole") exchange.end("ha");
        throw new Error("late");
      },
    });
    const whole = await connectHttp1(port, `GET /whole HTTP/1.1\r\n${host}\r\n`);
    expect((await whole.response()).body).toBe("haha");
    const half = await connectHttp1(port, `GET /half HTTP/1.1\r\n${host}\r\n`);
    expect(await half.closed()).not.toContain("haha");
    expect(faults).toHaveLength(2);
  });
});

test("a request ends when its client disconnects", async () => {
  const left = Promise.withResolvers<Exchange>();
  const client = await send(`GET / HTTP/1.1\r\n${host}\r\n`, (exchange) => {
    exchange.on("close", () => left.resolve(exchange));
  });
  await once(client.socket, "ready");
  client.socket.resetAndDestroy();
  expect((await left.promise).url).toBe("/");
});
