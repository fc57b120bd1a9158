import { once } from "node:events";
import { createServer } from "node:http";
import { constants } from "node:http2";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Code, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test } from "vitest";
import type { GateContext } from "../../src/call/request-gate.ts";
import { createGateway } from "../../src/server/gateway.ts";
import type { GatewayOptions } from "../../src/server/gateway-options.ts";
import { maxUndecided } from "../../src/server/load/overload.ts";
import { GreetService } from "../gen/shelf/v1/greet_pb.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { connectHttp1 } from "./support/http1-client.ts";
import { connectHttp2, responseOf } from "./support/http2-client.ts";

const never = new Promise<void>(() => {});

/** A gateway whose gate never decides on requests for anyone but Ada. */
function hangingGateway(options: Partial<GatewayOptions> = {}) {
  const seen: GateContext[] = [];
  let wake = () => {};
  const gateway = createGateway({
    routes: ({ service, rpc }) => {
      service(GreetService, { greet: ({ name }) => ({ text: name }) });
      rpc(ShelfService.method.scan, async function* () {});
    },
    requestGate(context) {
      if (context.url.endsWith("/Ada")) return undefined;
      seen.push(context);
      wake();
      return never;
    },
    ...options,
  });
  onTestFinished(() => gateway.drain(0));
  return {
    gateway,
    /** Waits until the gate has seen so many requests. */
    async seen(count: number): Promise<GateContext[]> {
      while (seen.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return seen;
    },
    async start(): Promise<{ url: string; port: number }> {
      return gateway.listen(0, "127.0.0.1");
    },
  };
}

const request = "GET /v1/greetings/Bob HTTP/1.1\r\nhost: a\r\n\r\n";

function openSocket(port: number, text: string): Socket {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  return socket;
}

/** Opens HTTP/2 requests, and returns functions that cancel them. */
function openStreams(url: string, count: number, headers = {}): (() => void)[] {
  const sessions = [connectHttp2(url), connectHttp2(url)];
  return Array.from({ length: count }, (_, index) => {
    const stream = sessions[index % 2]?.request({ ":path": "/v1/greetings/Bob", ...headers });
    stream?.on("error", () => {}).resume();
    return () => stream?.close(constants.NGHTTP2_CANCEL);
  });
}

const post = { ":method": "POST", ":path": "/shelf.v1.GreetService/Greet" };

const leaving: Record<string, (port: number, url: string) => (() => unknown)[]> = {
  "HTTP/1 connections that close": (port) =>
    Array.from({ length: maxUndecided }, () => {
      const socket = openSocket(port, request);
      return () => socket.destroy();
    }),
  "HTTP/1 connections with pipelined requests that close": (port) =>
    Array.from({ length: maxUndecided / 2 }, () => {
      const socket = openSocket(port, request + request);
      return () => socket.destroy();
    }),
  "HTTP/2 streams that are reset": (_, url) => openStreams(url, maxUndecided),
  "HTTP/2 streams that are reset within their bodies": (_, url) =>
    openStreams(url, maxUndecided, { ...post, "content-type": "application/grpc" }),
};

describe("a gate that never decides", () => {
  test.each(Object.entries(leaving))("holds no place for %s", async (_, open) => {
    const { seen, start } = hangingGateway();
    const { url, port } = await start();
    const leave = open(port, url);
    const contexts = await seen(maxUndecided);
    const aborted = contexts.map(({ signal }) => once(signal, "abort"));
    for (const each of leave) each();
    await Promise.all(aborted);
    expect(contexts.map(({ signal }) => signal.reason.code)).toEqual(
      contexts.map(() => Code.Canceled),
    );
    expect(await (await fetch(`${url}/v1/greetings/Ada`)).json()).toEqual({ text: "Ada" });
  });

  test("holds no place in a server of node", async () => {
    const { gateway, seen } = hangingGateway();
    const server = createServer(gateway.handler).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const sockets = Array.from({ length: maxUndecided }, () => openSocket(port, request));
    const contexts = await seen(maxUndecided);
    const aborted = contexts.map(({ signal }) => once(signal, "abort"));
    for (const socket of sockets) socket.destroy();
    await Promise.all(aborted);
    const response = await fetch(`http://127.0.0.1:${port}/v1/greetings/Ada`);
    expect(response.status).toBe(200);
    server.closeAllConnections();
  });

  test("holds no place for requests whose bodies take too long", async () => {
    const { seen, start } = hangingGateway({
      limits: { headersTimeoutMs: 100, requestTimeoutMs: 100 },
    });
    const { url } = await start();
    openStreams(url, maxUndecided, { ...post, "content-type": "application/grpc" });
    const contexts = await seen(maxUndecided);
    await Promise.all(contexts.map(({ signal }) => signal.aborted || once(signal, "abort")));
    expect((await fetch(`${url}/v1/greetings/Ada`)).status).toBe(200);
  });

  const transports = {
    Connect: [createConnectTransport, { "connect-timeout-ms": "50" }],
    gRPC: [createGrpcTransport, { "grpc-timeout": "50m" }],
    "gRPC-Web": [createGrpcWebTransport, { "grpc-timeout": "50000u" }],
  } as const;

  test.each(Object.entries(transports))(
    "is bounded by the deadline of %s",
    async (_, [createTransport, headers]) => {
      const { seen, start } = hangingGateway();
      const transport = createTransport({ baseUrl: (await start()).url, httpVersion: "2" });
      const { greet } = createClient(GreetService, transport);
      const { scan } = createClient(ShelfService, transport);
      const late = { code: Code.DeadlineExceeded };
      await expect(greet({}, { headers })).rejects.toMatchObject(late);
      const messages = scan({}, { headers })[Symbol.asyncIterator]();
      await expect(messages.next()).rejects.toMatchObject(late);
      for (const context of await seen(2)) {
        expect(context.signal.reason).toMatchObject(late);
        expect(context.timeoutMs()).toBeLessThan(50);
      }
    },
  );

  test("is bounded by the deadline of HTTP clients, in a pipeline too", async () => {
    const { url, port } = await hangingGateway().start();
    const headers = { "x-server-timeout": "0.05" };
    const response = await fetch(`${url}/v1/greetings/Bob`, { headers });
    expect([response.status, await response.json()]).toMatchObject([
      504,
      { code: "deadline_exceeded" },
    ]);
    const timed = request.replace("host", "x-server-timeout: 0.05\r\nhost");
    const client = await connectHttp1(port, timed + timed);
    expect([await client.response(), await client.response()]).toMatchObject([
      { status: 504 },
      { status: 504 },
    ]);
  });

  test("is bounded by requestTimeoutMs", async () => {
    const limits = { headersTimeoutMs: 100, requestTimeoutMs: 100 };
    const session = connectHttp2((await hangingGateway({ limits }).start()).url);
    // Of HTTP/1, these limits could end the connection of a slow test.
    const target = { ":path": "/v1/greetings/Bob", "x-server-timeout": "99999999" };
    const { headers, body } = await responseOf(session.request(target));
    expect([headers[":status"], JSON.parse(body)]).toMatchObject([
      504,
      { code: "deadline_exceeded" },
    ]);
  });

  test("does not keep requests that wait for it beyond their deadlines", async () => {
    const { seen, start } = hangingGateway();
    const { url } = await start();
    openStreams(url, maxUndecided);
    await seen(maxUndecided);
    const headers = { "x-server-timeout": "0.05" };
    expect((await fetch(`${url}/v1/greetings/Ada`, { headers })).status).toBe(504);
    expect((await fetch(`${url}/v1/greetings/Ada`)).status).toBe(503);
  });
});

test("a gate that decides after the deadline changes nothing", async () => {
  let decide = (_: Error) => {};
  const { gateway, start } = hangingGateway({
    requestGate: () =>
      new Promise<void>((_, reject) => {
        decide = reject;
      }),
  });
  const { url } = await start();
  const headers = { "x-server-timeout": "0.01" };
  const { status } = await fetch(`${url}/v1/greetings/Bob`, { headers });
  decide(new Error("too late"));
  await new Promise(setImmediate);
  expect([status, gateway.status().inFlight.unary]).toEqual([504, 0]);
});

test("a guard that never decides is bounded by the deadline", async () => {
  const { url } = await hangingGateway({ guards: { before: () => () => never } }).start();
  const headers = { "x-server-timeout": "0.05" };
  expect((await fetch(`${url}/v1/greetings/Ada`, { headers })).status).toBe(504);
});
