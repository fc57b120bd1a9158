import { connect as connectTls } from "node:tls";
import { describe, expect, test } from "vitest";
import { until } from "../../../../test/system/harness/until.ts";
import type { Exchange } from "../../src/http/exchange/exchange.ts";
import { maxPipelined } from "../../src/server/connections/http1-pipeline.ts";
import type {
  ListenerOptions,
  RequestHandler,
} from "../../src/server/connections/listener-options.ts";
import { selfSigned } from "./support/certificate.ts";
import { connectHttp1, expectErrorForm, type Http1Response } from "./support/http1-client.ts";
import { echo, startListener } from "./support/listener.ts";

const host = "Host: test\r\n";
const get = (path: string | number) => `GET /${path} HTTP/1.1\r\n${host}\r\n`;

/** A burst that fits into one read of the server: far more requests than may be in flight. */
const count = 1_700;
const paths = Array.from({ length: count }, (_, index) => `/${index}`);
const burst = paths.map((path) => get(path.slice(1))).join("");

/** A handler that holds all responses back until `release`. */
function holding() {
  const held: { path: string; response: Exchange }[] = [];
  const seen: string[] = [];
  const handle: RequestHandler = (exchange) => {
    seen.push(String(exchange.url));
    held.push({ path: String(exchange.url), response: exchange });
  };
  return {
    handle,
    held,
    seen,
    /** Ends the responses held so far, the last one first. */
    release() {
      for (const { path, response } of held.splice(0).reverse()) response.end(path);
    },
  };
}

/** Releases the held responses each time the limit is reached. @returns the bodies in the order received */
async function receiveAll(
  { held, seen, release }: Omit<ReturnType<typeof holding>, "handle">,
  response: () => Promise<Http1Response>,
): Promise<string[]> {
  const received: string[] = [];
  while (received.length < count) {
    await until(
      "the limit is reached",
      () => held.length === Math.min(maxPipelined, count - received.length),
    );
    const begun = seen.length;
    // A request beyond the limit would begin within this time.
    await new Promise((resolve) => setTimeout(resolve, received.length === 0 ? 50 : 0));
    expect(seen.length).toBe(begun);
    release();
    while (received.length < begun) received.push((await response()).body);
  }
  return received;
}

const tls = selfSigned();
const transports: readonly (readonly [string, Pick<ListenerOptions, "tls">])[] = [
  ["cleartext", {}],
  ["TLS", { tls }],
];

describe.each(transports)("over %s", (_name, options) => {
  async function start(handle: RequestHandler, more: Partial<ListenerOptions> = {}) {
    const running = await startListener({ handle, ...options, ...more });
    const socket = () =>
      options.tls &&
      connectTls({ port: running.port, host: "127.0.0.1", ca: tls.cert, servername: "localhost" });
    return {
      ...running,
      client: (...data: string[]) => connectHttp1(socket() ?? running.port, ...data),
    };
  }

  test(`${count} pipelined requests: ${maxPipelined} are in flight at once, and all get 200 in order`, async () => {
    const { handle, held, seen, release } = holding();
    const { client } = await start(handle);
    const { response } = await client(burst);
    const received = await receiveAll({ held, seen, release }, response);
    expect(received).toEqual(paths);
  });

  test("the same limit holds in a later read of the connection", async () => {
    const { handle, held, seen, release } = holding();
    const { client } = await start(handle);
    const { socket, response } = await client(get("first"));
    await until("requests are under way", () => held.length === 1);
    release();
    expect((await response()).body).toBe("/first");
    seen.length = 0;
    socket.write(burst);
    const received = await receiveAll({ held, seen, release }, response);
    expect(received).toEqual(paths);
  });

  const echoes: RequestHandler = (exchange) => {
    echo(exchange, (body) => {
      const text = `${exchange.method} ${exchange.url} ${body}`;
      exchange.setHeader("content-length", text.length);
      return text;
    });
  };
  test.each([
    ["Connection: close", "Connection: close\r\n", 200],
    ["Upgrade", "Connection: Upgrade\r\nUpgrade: h2c\r\n", 200],
    ["an unknown expectation", "Expect: miracles\r\n", 417],
  ])("no request is served after one with %s", async (_what, fields, status) => {
    const seen: unknown[] = [];
    const { client } = await start((exchange) => {
      seen.push(exchange.url);
      exchange.end();
    });
    const { response, closed } = await client(
      `${get("a")}GET /b HTTP/1.1\r\n${host}${fields}\r\n${get("c")}`,
    );
    expect((await response()).status).toBe(200);
    expect((await response()).status).toBe(status);
    expect(await closed()).toBe("");
    expect(seen).not.toContain("/c");
  });

  test("the connection is read after a request with small chunks and a pipelined one", async () => {
    const { client } = await start(echoes);
    const chunks = `10\r\n${"x".repeat(16)}\r\n`.repeat(2_000);
    const { socket, response } = await client(
      `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n${get("second")}`,
    );
    expect((await response()).body.length).toBeGreaterThan(32_000);
    expect((await response()).body).toBe("GET /second ");
    socket.write(get("third"));
    expect((await response()).body).toBe("GET /third ");
  });

  test("200 for pipelined requests with bodies of every kind", async () => {
    const { client } = await start((exchange) => {
      echo(exchange, (body) => `${exchange.url} ${body.length} ${body.slice(0, 8)}`);
    });
    const long = "x".repeat(100_000);
    const kinds = [
      (n: number) => get(`get-${n}`),
      (n: number) =>
        `PUT /put-${n} HTTP/1.1\r\n${host}Content-Length: 12\r\n\r\n\r\n\r\n\r\n\r\nabcd`,
      (n: number) =>
        `PUT /chunks-${n} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n1\r\nz\r\n0\r\nT: 1\r\n\r\n`,
      (n: number) =>
        `PUT /long-${n} HTTP/1.1\r\n${host}Content-Length: ${long.length}\r\n\r\n${long}`,
    ];
    const expectedBodies = [
      (n: number) => `/get-${n} 0 `,
      (n: number) => `/put-${n} 12 \r\n\r\n\r\n\r\n`,
      (n: number) => `/chunks-${n} 5 \r\n\r\nz`,
      (n: number) => `/long-${n} 100000 xxxxxxxx`,
    ];
    const all = Array.from({ length: 80 }, (_, n) => n);
    const { response } = await client(all.map((n) => kinds[n % 4]?.(n)).join(""));
    for (const n of all) expect((await response()).body).toBe(expectedBodies[n % 4]?.(n));
  });

  test("200 for requests beyond the limit that arrive a byte at a time", async () => {
    const { handle, held, release } = holding();
    const { client } = await start(handle);
    const first = paths.slice(0, 12);
    const { socket, response } = await client(first.map((path) => get(path.slice(1))).join(""));
    await until("requests are under way", () => held.length === maxPipelined);
    for (const byte of get("split")) socket.write(byte);
    const received: string[] = [];
    while (received.length < 13) {
      await until("requests are under way", () => held.length > 0);
      const now = held.length;
      release();
      for (let n = 0; n < now; n++) received.push((await response()).body);
    }
    expect(received).toEqual([...first, "/split"]);
  });

  test("100 for each pipelined request with Expect: 100-continue", async () => {
    const { client } = await start((exchange) => {
      if ("writeContinue" in exchange) exchange.writeContinue();
      echo(exchange);
    });
    const expecting = (n: number) =>
      `PUT / HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n${n}`;
    const numbers = Array.from({ length: 20 }, (_, n) => n + 10);
    const { response } = await client(numbers.map(expecting).join(""));
    for (const n of numbers) {
      expect((await response()).status).toBe(100);
      expect((await response()).body).toBe(String(n));
    }
  });

  test("408 for an unfinished header section, but not for requests that wait", async () => {
    const { handle, held, release } = holding();
    const { client } = await start(handle, { headersTimeoutMs: 200, requestTimeoutMs: 300 });
    const { socket, response, closed } = await client(burst.slice(0, burst.indexOf("GET /20 ")));
    await until("requests are under way", () => held.length === maxPipelined);
    // Longer than the timeouts and the interval at which they are checked.
    await new Promise((resolve) => setTimeout(resolve, 800));
    for (let n = 0; n < 20; ) {
      await until("requests are under way", () => held.length > 0);
      const now = held.length;
      release();
      for (let k = 0; k < now; k++, n++) expect((await response()).body).toBe(`/${n}`);
    }
    socket.write("GET / HT");
    expectErrorForm(await response(), 408, "deadline_exceeded");
    expect(await closed()).toBe("");
  });

  test("a drain completes the requests in flight and closes the connection", async () => {
    const { handle, held, release } = holding();
    const { listener, client } = await start(handle);
    const { response, closed } = await client(burst);
    await until("requests are under way", () => held.length === maxPipelined);
    const drained = listener.drain(5_000);
    release();
    for (let n = 0; n < maxPipelined; n++) expect((await response()).body).toBe(`/${n}`);
    const releasing = setInterval(release, 5);
    await closed();
    clearInterval(releasing);
    await drained;
  });
});
