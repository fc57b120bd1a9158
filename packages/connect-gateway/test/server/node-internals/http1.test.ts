import { once } from "node:events";
import { createServer, type ServerOptions } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, test, vi } from "vitest";
import {
  bytesAfterPause,
  canParse,
  controlParser,
  type Http1Socket,
  onLastResponse,
  startChecks,
  takeBytes,
  takeBytesForGood,
} from "../../../src/server/node-internals/http1-parser.ts";
import { connectForTest, listenForTest, socketPair } from "./support/connections.ts";

const requestTo = (path: string, headers = "") =>
  `GET ${path} HTTP/1.1\r\nHost: test\r\n${headers}\r\n`;

/** Starts a server that responds with the path of each request, and notes the paths. */
async function startServer(options: ServerOptions = {}) {
  const paths: string[] = [];
  const server = createServer(options, (request, response) => {
    paths.push(request.url ?? "");
    response.end(request.url);
  });
  return { server, paths, port: await listenForTest(server) };
}

describe("connections", () => {
  test("Checks for timeouts begin at the event `listening`", async () => {
    const server = createServer({ headersTimeout: 20, connectionsCheckingInterval: 10 });
    startChecks(server);
    const failed = once(server, "clientError");
    const { served } = await socketPair();
    server.emit("connection", served);
    expect(await failed).toEqual([
      expect.objectContaining({ code: "ERR_HTTP_REQUEST_TIMEOUT" }),
      served,
    ]);
    server.close();
  });

  test("Node calls `destroySoon` of a socket after its last response", async () => {
    const { server, port } = await startServer();
    const close = vi.fn<() => void>();
    server.on("connection", (socket) => onLastResponse(socket, close));
    const client = connectForTest(port);
    client.write(requestTo("/", "Connection: close\r\n"));
    await once(client, "data");
    await expect.poll(() => close).toHaveBeenCalledOnce();
    expect(client.destroyed).toBe(false);
  });
});

/** Starts a server whose parsers pause after each header section. */
async function startPausing() {
  const started = await startServer();
  started.server.on("connection", (socket) => {
    expect(controlParser(socket, () => true)).toBe(true);
  });
  return started;
}

describe("the parser", () => {
  test("The result of `onIncoming` pauses the parser, which reports the unread bytes", async () => {
    const { server, port, paths } = await startPausing();
    const failed = once(server, "clientError") as Promise<[Error]>;
    connectForTest(port).write(requestTo("/1") + requestTo("/2"));
    const [error] = await failed;
    expect(paths).toEqual(["/1"]);
    expect(bytesAfterPause(error)?.toString()).toBe(requestTo("/2"));
  });

  test("Node's own listener can still pass bytes to a paused parser", async () => {
    const { server, port, paths } = await startPausing();
    const later: Buffer[] = [];
    const feed = (socket: Http1Socket, bytes: Buffer) => {
      const own = takeBytes(socket, (chunk) => later.push(chunk));
      expect(own).toBeTypeOf("function");
      socket.parser?.resume();
      own?.call(socket, Buffer.alloc(0));
      own?.call(socket, bytes);
    };
    let isFirst = true;
    server.on("clientError", (error: Error, socket: Socket) => {
      const rest = bytesAfterPause(error);
      if (isFirst && rest) feed(socket as Http1Socket, rest);
      isFirst = false;
    });
    const client = connectForTest(port);
    client.write(requestTo("/1") + requestTo("/2"));
    await expect.poll(() => paths).toEqual(["/1", "/2"]);
    client.write("later");
    await expect.poll(() => Buffer.concat(later).toString()).toBe("later");
  });

  test("`_paused` is set while a client does not read its responses", async () => {
    const server = createServer();
    const sockets: Http1Socket[] = [];
    server.on("request", ({ socket, url }, response) => {
      sockets.push(socket as Http1Socket);
      if (url === "/1") response.end(Buffer.alloc(32 * 1024 * 1024));
    });
    const client = connectForTest(await listenForTest(server));
    client.pause();
    client.write(requestTo("/1"));
    await expect.poll(() => sockets).toHaveLength(1);
    const [socket] = sockets;
    expect(socket && canParse(socket)).toBe(true);
    client.write(requestTo("/2"));
    await expect.poll(() => sockets).toHaveLength(2);
    expect(socket && canParse(socket)).toBe(false);
    const resumed = once(socket as Socket, "resume");
    client.resume();
    await resumed;
    expect(socket && canParse(socket)).toBe(true);
  });

  test("A new listener takes the bytes of a connection from the parser", async () => {
    const { server, port, paths } = await startServer();
    let taken = "";
    server.on("request", ({ socket }) =>
      takeBytesForGood(socket, (chunk) => {
        taken += chunk.toString();
      }),
    );
    const client = connectForTest(port);
    client.write(requestTo("/1"));
    await once(client, "data");
    client.write(requestTo("/2"));
    await expect.poll(() => taken).toBe(requestTo("/2"));
    expect(paths).toEqual(["/1"]);
  });
});
