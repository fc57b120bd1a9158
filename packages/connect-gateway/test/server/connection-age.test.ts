import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { frame, frameType } from "../../../../test/support/http2-frames.ts";
import { stopTimers } from "../../../../test/support/stop-timers.ts";
import { until } from "../../../../test/system/harness/until.ts";
import type { Exchange } from "../../src/http/exchange/exchange.ts";
import { type ConnectionAge, limitAge } from "../../src/server/connections/connection-age.ts";
import type { RequestHandler } from "../../src/server/connections/listener-options.ts";
import { connectHttp1 } from "./support/http1-client.ts";
import { connectHttp2, responseOf } from "./support/http2-client.ts";
import * as frames from "./support/http2-frames.ts";
import { echo, startListener } from "./support/listener.ts";
import { connectRaw } from "./support/raw-http2.ts";

const highest = 2 ** 31 - 1;
/** Longer than any test runs, in ms. */
const farLimitMs = 60_000;

const age = (maxMs: number, graceMs = farLimitMs): ConnectionAge => ({
  maxMs,
  graceMs,
  ended: () => new Error("aged"),
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`;

/** Lets time pass for the timers, which are stopped. What they call follows the reads of the tick. */
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await new Promise(setImmediate);
}

/** A handler that holds the responses back until the test ends them. */
function holding() {
  const held: { path: string; response: Exchange }[] = [];
  const handle: RequestHandler = (exchange) => {
    held.push({ path: String(exchange.url), response: exchange });
  };
  return { held, handle };
}

const uploads: RequestHandler = (exchange) => {
  if (exchange.headers.expect) exchange.writeContinue();
  echo(exchange);
};

describe("the age of a connection", () => {
  afterEach(() => void vi.useRealTimers());

  /** Creates connections, and notes when each one is retired and closed, in ms. */
  function startAging(count: number) {
    vi.useFakeTimers();
    const began = Date.now();
    const retired: number[] = [];
    const idle: number[] = [];
    const closed: number[] = [];
    const sockets = Array.from({ length: count }, () => new EventEmitter() as Socket);
    for (const socket of sockets) {
      const retire = () => void retired.push(Date.now() - began);
      const closeIfIdle = () => void idle.push(Date.now() - began);
      const close = () => void closed.push(Date.now() - began);
      limitAge({ socket, retire, closeIfIdle, close }, age(1_000, 500), (error) =>
        expect.unreachable(String(error)),
      );
    }
    return { sockets, retired, idle, closed };
  }

  test("differs by up to 10 % between connections", () => {
    const { retired } = startAging(100);
    vi.advanceTimersByTime(899);
    expect(retired).toEqual([]);
    vi.advanceTimersByTime(202);
    expect(retired).toHaveLength(100);
    expect(new Set(retired).size).toBeGreaterThan(20);
  });

  test("is followed by the grace period, and two seconds for the streams to end", () => {
    const { retired, idle, closed } = startAging(1);
    vi.advanceTimersByTime(10_000);
    const [retiredAt = 0] = retired;
    // Each step waits for reads first, so it can be a few milliseconds late.
    expect(idle.map((at) => at - retiredAt)).toEqual([expect.closeTo(500, -1)]);
    expect(closed.map((at) => at - retiredAt)).toEqual([expect.closeTo(2_500, -1)]);
  });

  test("closes the connection even if no error for its streams can be made", () => {
    vi.useFakeTimers();
    const bug = new TypeError("a bug");
    const ended = () => {
      throw bug;
    };
    const close = vi.fn();
    const faults: unknown[] = [];
    const connection = {
      socket: new EventEmitter() as Socket,
      retire() {},
      closeIfIdle() {},
      close,
    };
    limitAge(connection, { ...age(1_000, 500), ended }, (fault) => faults.push(fault));
    vi.advanceTimersByTime(10_000);
    expect([close.mock.calls.length, faults]).toEqual([1, [bug]]);
  });

  test("does not matter once the connection is closed", () => {
    const { sockets, retired, closed } = startAging(2);
    sockets[0]?.emit("close");
    vi.advanceTimersByTime(1_101);
    expect(retired).toHaveLength(1);
    sockets[1]?.emit("close");
    vi.advanceTimersByTime(10_000);
    expect(closed).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("an HTTP/2 connection that reaches its age", () => {
  test("gets two GOAWAY frames, and serves its open streams and those that the client opens before the second", async () => {
    stopTimers();
    const { held, handle } = holding();
    const { port } = await startListener({ handle, age: age(200) });
    const client = await connectRaw(port);
    client.socket.write(frames.get(1));
    await until("the first request has begun", () => held.length === 1);
    await pass(220);
    await until("the PING came", () => client.of(frameType.ping).length === 1);
    expect(client.lastStreams()).toEqual([highest]);
    client.socket.write(frames.get(3));
    await until("the second request has begun", () => held.length === 2);
    client.acknowledge();
    await until("the second GOAWAY came", () => client.lastStreams().length === 2);
    expect(client.lastStreams()).toEqual([highest, 3]);
    expect(client.of(frameType.headers)).toEqual([]);
    const ended = once(client.socket, "end");
    for (const { response } of held) response.end("done");
    await ended;
    expect(client.of(frameType.headers).map(({ stream }) => stream)).toEqual([1, 3]);
  });

  test("gets the second GOAWAY in bounded time if the client acknowledges no PING, even if it never sent a request", async () => {
    const { port } = await startListener({ handle: () => {}, age: age(100) });
    const client = await connectRaw(port);
    await once(client.socket, "end");
    expect(client.lastStreams()).toEqual([highest, 0]);
  });

  test("receives the rest of an upload", async () => {
    const { port } = await startListener({ handle: uploads, age: age(100) });
    const client = await connectRaw(port);
    client.socket.write(Buffer.concat([frames.post(1), frames.data(1, "be")]));
    await until("the PING came", () => client.of(frameType.ping).length === 1);
    client.acknowledge();
    await until("the second GOAWAY came", () => client.lastStreams().length === 2);
    const ended = once(client.socket, "end");
    client.socket.write(frame(0x0, 0x1, 1, Buffer.from("gun")));
    await ended;
    const bodies = client.of(0x0).map(({ payload }) => payload.toString());
    expect(bodies.join("")).toBe("begun");
  });

  test("is closed after the grace period, with its open streams", async () => {
    const { held, handle } = holding();
    const { url } = await startListener({ handle, age: age(100, 100) });
    const session = connectHttp2(url);
    const response = responseOf(session.request({ ":path": "/" }));
    const closed = once(session, "close");
    await expect(response).rejects.toThrow();
    await closed;
    expect(held[0]?.response.destroyed).toBe(true);
  });

  test("is drained like any other", async () => {
    const { held, handle } = holding();
    const { url, listener } = await startListener({ handle, age: age(100) });
    const session = connectHttp2(url);
    const response = responseOf(session.request({ ":path": "/" }));
    await once(session, "goaway");
    const drained = listener.drain(farLimitMs);
    held[0]?.response.end("done");
    expect((await response).body).toBe("done");
    await drained;
  });
});

describe("an HTTP/1 connection that reaches its age", () => {
  const done: RequestHandler = (response) => response.end("done");

  test("closes after its next response, and stays open before", async () => {
    stopTimers();
    const { port } = await startListener({ handle: done, age: age(100) });
    const client = await connectHttp1(port);
    for (const connection of ["keep-alive", "keep-alive", "close"]) {
      if (connection === "close") await pass(110);
      client.socket.write(get("/"));
      const { body, headers } = await client.response();
      expect([body, headers.get("connection")]).toEqual(["done", connection]);
    }
    expect(await client.closed()).toBe("");
  });

  test("closes after the last of the requests that it has begun", async () => {
    const { held, handle } = holding();
    const { port, listener } = await startListener({ handle });
    const client = await connectHttp1(port, get("/1") + get("/2"));
    await until("two requests have begun", () => held.length === 2);
    listener.retire();
    client.socket.write(get("/3"));
    for (const { path, response } of held) response.end(path);
    const responses = [await client.response(), await client.response()];
    expect(responses.map(({ body }) => body)).toEqual(["/1", "/2"]);
    expect(responses.map(({ headers }) => headers.get("connection"))).toEqual([
      "keep-alive",
      "close",
    ]);
    expect(await client.closed()).toBe("");
    expect(held).toHaveLength(2);
  });

  test("begins no request after the response that announces the close", async () => {
    const { held, handle } = holding();
    const { port, listener } = await startListener({ handle });
    const client = await connectHttp1(port, get("/1"));
    await until("a request has begun", () => held.length === 1);
    listener.retire();
    const { response } = held[0] ?? {};
    response?.setHeader("content-length", 4);
    response?.write("do");
    client.socket.write(get("/2"));
    // The server has read the second request when it has read all bytes of a later connection.
    const other = await connectHttp1(port, get("/other"));
    await until("another request has begun", () => held.some(({ path }) => path === "/other"));
    response?.end("ne");
    expect((await client.response()).body).toBe("done");
    expect(await client.closed()).toBe("");
    expect(held.map(({ path }) => path)).toEqual(["/1", "/other"]);
    other.socket.destroy();
  });

  test("closes even if the client pipelines without a pause, and responds to every request that it has begun", async () => {
    const { held, handle } = holding();
    let begun = 0;
    const { port } = await startListener({
      handle(exchange) {
        begun += 1;
        handle(exchange);
      },
      age: age(100),
    });
    const count = 1_000;
    const client = await connectHttp1(port, get("/").repeat(count));
    const closed = client.closed();
    await until("the server has closed the connection", () => {
      held.shift()?.response.end("done");
      return client.socket.destroyed;
    });
    const connections = (await closed).match(/(?<=^connection: )[\w-]+/gim) ?? [];
    expect(connections).toEqual([...Array(begun - 1).fill("keep-alive"), "close"]);
    expect(begun).toBeLessThan(count);
  });

  test("receives the rest of an upload", async () => {
    const { port, listener } = await startListener({ handle: uploads });
    const head =
      "POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
    const client = await connectHttp1(port, `${head}be`);
    expect((await client.response()).status).toBe(100);
    listener.retire();
    client.socket.write("gun");
    const { status, body, headers } = await client.response();
    expect([status, body, headers.get("connection")]).toEqual([200, "begun", "close"]);
    expect(await client.closed()).toBe("");
  });

  test("is closed at the end of the grace period if it is idle, so that it ends no later request", async () => {
    stopTimers();
    const { port } = await startListener({ handle: done, age: age(100, 100) });
    const client = await connectHttp1(port, get("/"));
    expect((await client.response()).headers.get("connection")).toBe("keep-alive");
    for (const ms of [110, 100]) await pass(ms);
    expect(await client.closed()).toBe("");
  });

  test("completes a request that is open at the end of the grace period", async () => {
    stopTimers();
    const { held, handle } = holding();
    const { port } = await startListener({ handle, age: age(100, 100) });
    const client = await connectHttp1(port, get("/"));
    await until("the request has begun", () => held.length === 1);
    for (const ms of [110, 100]) await pass(ms);
    held[0]?.response.end("done");
    expect((await client.response()).headers.get("connection")).toBe("close");
    expect(await client.closed()).toBe("");
  });

  test("times out as before if it never sent a request", async () => {
    const { port } = await startListener({ handle: done, age: age(100), headersTimeoutMs: 300 });
    const begun = performance.now();
    await (await connectHttp1(port)).closed();
    expect(performance.now() - begun).toBeGreaterThan(250);
  });
});
