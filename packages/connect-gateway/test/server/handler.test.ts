import { once } from "node:events";
import { createServer } from "node:http";
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2Server,
  type ServerHttp2Session,
} from "node:http2";
import type { AddressInfo, Server } from "node:net";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { requestOf } from "../../src/call/request-info.ts";
import type { NodeListener } from "../../src/http/exchange/node-listener.ts";
import { createGateway } from "../../src/server/gateway.ts";
import type { GatewayOptions } from "../../src/server/gateway-options.ts";
import { GreetService } from "../gen/shelf/v1/greet_pb.ts";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { selfSigned } from "./support/certificate.ts";
import { connectHttp1 } from "./support/http1-client.ts";
import { connectHttp2, responseOf } from "./support/http2-client.ts";

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What the service has seen of its requests. */
interface Seen {
  readonly urls: string[];
  readonly signals: AbortSignal[];
}

/** Limits of scans that end otherwise. */
const [fails, ends, waits] = [3, 4, 5];

const routesFor =
  ({ urls, signals }: Seen): GatewayOptions["routes"] =>
  ({ service, rpc }) => {
    service(GreetService, {
      greet({ name }, { url, responseHeader, responseTrailer }) {
        urls.push(url);
        if (name === "nobody") throw new ConnectError("there is nobody", Code.NotFound);
        if (name === "a bug") throw new Error("private");
        responseHeader.set("x-greeted", "yes");
        if (name === "a cookie") responseHeader.append("set-cookie", "e=f");
        responseTrailer.set("x-last", "bye");
        return { text: `Hello, ${name}!` };
      },
    });
    rpc(ShelfService.method.scan, async function* ({ limit }, context) {
      signals.push(context.signal);
      yield { book: { title: "one" } };
      if (limit === fails) throw new ConnectError("no more", Code.DataLoss);
      if (limit === ends) {
        requestOf(context).end(new ConnectError("revoked", Code.PermissionDenied));
      }
      if (limit === ends || limit === waits) {
        await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
        return;
      }
      yield { book: { title: "two" } };
    });
  };

/** Creates a gateway that is drained when the test ends. */
function openGateway(options: Partial<GatewayOptions> = {}) {
  const seen: Seen = { urls: [], signals: [] };
  const gateway = createGateway({ routes: routesFor(seen), ...options });
  onTestFinished(() => gateway.drain(0));
  return { gateway, seen };
}

type Start = (listener: NodeListener) => Promise<string>;

async function start(server: Http2Server): Promise<string> {
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => sessions.add(session));
  onTestFinished(() => {
    server.close();
    for (const session of sessions) session.destroy();
  });
  return listen(server);
}

const tls = selfSigned();

const servers: Readonly<Record<string, { readonly version: "1.1" | "2"; readonly start: Start }>> =
  {
    "node:http": {
      version: "1.1",
      start(listener) {
        const server = createServer(listener);
        onTestFinished(() => {
          server.close();
          server.closeAllConnections();
        });
        return listen(server);
      },
    },
    "node:http2": { version: "2", start: (listener) => start(createHttp2Server(listener)) },
    "node:http2 over TLS": {
      version: "2",
      start: async (listener) =>
        (await start(createSecureServer({ ...tls, allowHTTP1: true }, listener))).replace(
          "http://127.0.0.1",
          "https://localhost",
        ),
    },
  };

const protocols = {
  Connect: createConnectTransport,
  "gRPC-Web": createGrpcWebTransport,
  gRPC: createGrpcTransport,
};

const before = expect.stringContaining("before gateway.handler got the request");

interface Head {
  writeHead(status: number): unknown;
}

function transportOn(server: string, protocol: keyof typeof protocols, baseUrl: string) {
  const httpVersion = server === "node:http" ? "1.1" : "2";
  const options = { baseUrl, httpVersion, nodeOptions: { ca: tls.cert } };
  return protocols[protocol](options as never);
}

const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => ConnectError.from(error),
  );

describe.each(Object.entries(servers))(
  "the handler of a gateway on %s",
  (server, { version, start }) => {
    /** Serves the gateway beside a page of the server's own. */
    async function mount(options: Partial<GatewayOptions> = {}) {
      const { gateway, seen } = openGateway(options);
      const baseUrl = await start((request, response) => {
        response.setHeader("x-server", "own");
        response.setHeader("set-cookie", ["a=b", "c=d"]);
        if (request.url === "/own") response.end("own page");
        else gateway.handler(request, response);
      });
      return { gateway, baseUrl, seen };
    }

    const transportTo = (protocol: keyof typeof protocols, baseUrl: string) =>
      transportOn(server, protocol, baseUrl);

    test("sends each cookie that other code has set as a header of its own", async () => {
      const { baseUrl } = await mount();
      const { greet } = createClient(GreetService, transportTo("Connect", baseUrl));
      const found: string[][] = [];
      const onHeader = (headers: Headers) => found.push(headers.getSetCookie());
      await greet({ name: "Ada" }, { onHeader });
      await greet({ name: "a cookie" }, { onHeader });
      expect(found).toEqual([
        ["a=b", "c=d"],
        ["a=b", "c=d", "e=f"],
      ]);
    });

    const names = (Object.keys(protocols) as (keyof typeof protocols)[]).filter(
      (name) => version === "2" || name !== "gRPC",
    );

    describe.each(names)("over %s", (protocol) => {
      test("serves unary calls with headers and trailers, and sends errors", async () => {
        const onFault = vi.fn();
        const { baseUrl, gateway, seen } = await mount({ onFault });
        const client = createClient(GreetService, transportTo(protocol, baseUrl));
        const metadata = new Headers();
        const collect = (headers: Headers) => {
          for (const [name, value] of headers) metadata.set(name, value);
        };
        const { text } = await client.greet(
          { name: "Ada" },
          { onHeader: collect, onTrailer: collect },
        );
        expect(text).toBe("Hello, Ada!");
        expect(Object.fromEntries(metadata)).toMatchObject({
          "x-greeted": "yes",
          "x-last": "bye",
          "x-server": "own",
          "x-request-id": expect.stringMatching(/^[0-9a-f]{32}$/),
        });
        expect(seen.urls).toEqual([`${baseUrl}/shelf.v1.GreetService/Greet`]);
        expect(await errorOf(client.greet({ name: "nobody" }))).toMatchObject({
          code: Code.NotFound,
          rawMessage: "there is nobody",
        });
        const bug = await errorOf(client.greet({ name: "a bug" }));
        expect(bug?.code).toBe(Code.Internal);
        expect(bug?.message).not.toContain("private");
        expect(onFault).toHaveBeenCalledOnce();
        expect(gateway.status().inFlight).toEqual({ unary: 0, stream: 0, public: 0 });
      });

      test("serves streams, and sends their errors", async () => {
        const { baseUrl } = await mount();
        const { scan } = createClient(ShelfService, transportTo(protocol, baseUrl));
        const received = async (limit: number) => {
          const titles: (string | undefined)[] = [];
          const error = await errorOf(
            (async () => {
              for await (const { book } of scan({ limit })) titles.push(book?.title);
            })(),
          );
          return [titles, error?.code];
        };
        expect(await received(2)).toEqual([["one", "two"], undefined]);
        expect(await received(fails)).toEqual([["one"], Code.DataLoss]);
        expect(await received(ends)).toEqual([["one"], Code.PermissionDenied]);
      });

      test("ignores a call whose client has cancelled it before the handler is called", async () => {
        const { gateway } = openGateway();
        const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
        const { promise: left, resolve: leave } = Promise.withResolvers<void>();
        const handled: unknown[] = [];
        const baseUrl = await start(async (request, response) => {
          response.once("close", leave);
          arrive();
          if (handled.length === 0) await left;
          handled.push(null);
          try {
            gateway.handler(request, response);
          } catch (error) {
            handled.push(error);
          }
        });
        const { greet } = createClient(GreetService, transportTo(protocol, baseUrl));
        const controller = new AbortController();
        const call = errorOf(greet({ name: "Ada" }, { signal: controller.signal }));
        await arrived;
        controller.abort();
        expect((await call)?.code).toBe(Code.Canceled);
        await expect.poll(() => handled).toHaveLength(1);
        expect((await greet({ name: "Ada" })).text).toBe("Hello, Ada!");
        expect(handled).toEqual([null, null]);
        await expect.poll(() => gateway.status().inFlight.unary).toBe(0);
      });

      test("aborts the signal of a call whose client cancels it", async () => {
        const { baseUrl, seen, gateway } = await mount();
        const { scan } = createClient(ShelfService, transportTo(protocol, baseUrl));
        const controller = new AbortController();
        const read = async () => {
          for await (const _ of scan({ limit: waits }, { signal: controller.signal })) {
            controller.abort();
          }
        };
        expect((await errorOf(read()))?.code).toBe(Code.Canceled);
        await expect.poll(() => seen.signals[0]?.aborted).toBe(true);
        await expect.poll(() => gateway.status().inFlight.stream).toBe(0);
      });
    });
  },
);

test.each(Object.entries(servers))(
  "the handler on %s serves requests that other code has paused",
  async (name, { start }) => {
    const { gateway } = openGateway();
    const url = await start(async (request, response) => {
      request.pause();
      await delay(1);
      gateway.handler(request, response);
    });
    const { greet } = createClient(GreetService, transportOn(name, "Connect", url));
    expect((await greet({ name: "Ada" })).text).toBe("Hello, Ada!");
    expect((await greet({})).text).toBe("Hello, !");
    const { scan } = createClient(ShelfService, transportOn(name, "Connect", url));
    expect(await Array.fromAsync(scan({ limit: 2 }))).toHaveLength(2);
    if (name === "node:http") {
      const refused = await fetch(`${url}/v2`, { method: "POST", body: "x".repeat(1_000) });
      expect(refused.status).toBe(404);
    }
    expect(gateway.status().inFlight).toEqual({ unary: 0, stream: 0, public: 0 });
  },
);

describe.each(Object.entries(servers))("the handler on %s, after other code", (name, { start }) => {
  const cases: Record<string, (request: Readable, response: Writable & Head) => unknown> = {
    "has read the body": (request) => Array.fromAsync(request),
    "has read a part of it": (request) => once(request, "readable").then(() => request.read(1)),
    "has ended the response": (_, response) => void response.end(),
    "has begun the response": (_, response) => void response.writeHead(201),
  };
  if (name === "node:http") cases["decodes the body"] = (request) => request.setEncoding("utf8");
  test.each(Object.entries(cases))("%s, fails", async (what, prepare) => {
    const onFault = vi.fn();
    const { gateway } = openGateway({ onFault });
    const url = await start(async (request, response) => {
      const prepared = prepare(request, response);
      if (prepared instanceof Promise) await prepared;
      gateway.handler(request, response);
    });
    const transport = transportOn(name, "Connect", url);
    const error = await errorOf(createClient(GreetService, transport).greet({ name: "Ada" }));
    // A response that has ended still arrives.
    expect(error?.message).toMatch(what === "has ended the response" ? "content type" : /./);
    expect(onFault.mock.calls).toEqual([[expect.objectContaining({ message: before })]]);
  });
});

test("the handler leaves 100 Continue to a server that sends it", async () => {
  const { gateway } = openGateway();
  const server = createServer(gateway.handler);
  onTestFinished(() => void server.close());
  const path = "/shelf.v1.GreetService/Greet";
  const head =
    "Host: a\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2";
  const port = Number(new URL(await listen(server)).port);
  const http1 = await connectHttp1(port, `POST ${path} HTTP/1.1\r\n${head}\r\n\r\n{}`);
  expect((await http1.response()).status).toBe(100);
  expect((await http1.response()).status).toBe(200);
  http1.socket.destroy();
  const session = connectHttp2(await start(createHttp2Server(gateway.handler)));
  const headers = { "content-type": "application/json", expect: "100-continue" };
  const stream = session.request({ ":method": "POST", ":path": path, ...headers });
  const onContinue = vi.fn();
  await responseOf(stream.on("continue", onContinue).end("{}"));
  expect(onContinue).toHaveBeenCalledOnce();
});

describe("the handler of a gateway serves JSON over HTTP", () => {
  test("beside a page of the server's own", async () => {
    const records: (string | undefined)[] = [];
    const { gateway } = openGateway({
      onRequestEnd: ({ operation, code }) => records.push(`${operation.route} ${code}`),
    });
    const server = createServer((request, response) => {
      if (request.url === "/own") response.end("own page");
      else gateway.handler(request, response);
    });
    onTestFinished(() => void server.close());
    const url = await listen(server);
    const get = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`${url}${path}`, init);
      return [response.status, await response.text()];
    };
    expect(await get("/own")).toEqual([200, "own page"]);
    expect(await get("/v1/greetings/Ada")).toEqual([200, '{"text":"Hello, Ada!"}']);
    const accept = { headers: { accept: "application/x-ndjson" } };
    expect(await get("/v1/scan", accept)).toEqual([200, '{"title":"one"}\n{"title":"two"}\n']);
    expect((await get("/v1/greetings/nobody"))[0]).toBe(404);
    expect((await get("/v1/greetings/Ada?repeat=x"))[0]).toBe(400);
    expect((await get("/v1/greetings/Ada", { method: "DELETE" }))[0]).toBe(405);
    expect((await get("/v2"))[0]).toBe(404);
    await expect.poll(() => records).toHaveLength(6);
  });

  test("whose client disconnects in the middle of a body", async () => {
    const onFault = vi.fn();
    const { gateway } = openGateway({ onFault });
    const server = createServer(gateway.handler);
    onTestFinished(() => void server.close());
    const url = await listen(server);
    const controller = new AbortController();
    const body = new ReadableStream({
      start: (chunks) => chunks.enqueue(new TextEncoder().encode("{")),
    });
    const arrived = once(server, "request");
    const sent = fetch(`${url}/shelf.v1.GreetService/Greet`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      duplex: "half",
      signal: controller.signal,
    });
    await arrived;
    expect(gateway.status().inFlight.unary).toBe(1);
    controller.abort();
    await expect(sent).rejects.toThrow();
    await expect.poll(() => gateway.status().inFlight.unary).toBe(0);
    expect(onFault).not.toHaveBeenCalled();
  });
});
