import { once } from "node:events";
import { createServer, IncomingMessage, type ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { http1ClientError } from "../../../src/server/connections/protocol-errors.ts";
import {
  onLastResponse,
  startChecks,
} from "../../../src/server/node-internals/http1-connection.ts";
import {
  bytesAfterPause,
  canParse,
  controlParser,
  type Http1Socket,
  type ParserControl,
  takeBytes,
  takeBytesForGood,
} from "../../../src/server/node-internals/http1-parser.ts";
import { connectForTest, listenForTest, socketPair, textOf } from "./support/connections.ts";

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

describe("requests and responses", () => {
  it("The parser creates a request when its header section is complete", async () => {
    const made = vi.fn<() => void>();
    class Request extends IncomingMessage {
      constructor(socket: Socket) {
        super(socket);
        made();
      }
    }
    const { port, server } = await startServer({ IncomingMessage: Request });
    const accepted = once(server, "connection") as Promise<[Socket]>;
    const client = connectForTest(port);
    client.write("GET / HTTP/1.1\r\nHost: t");
    const [socket] = await accepted;
    await vi.waitFor(() => expect(socket.bytesRead).toBeGreaterThan(0));
    expect(made).not.toHaveBeenCalled();
    client.write("est\r\n\r\n");
    await once(client, "data");
    expect(made).toHaveBeenCalledOnce();
  });

  it("The parser passes each chunk of a body to `push`, and stops when it returns false", async () => {
    const chunks: (string | null)[] = [];
    class Request extends IncomingMessage {
      override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
        chunks.push(chunk?.toString("latin1") ?? null);
        super.push(chunk, encoding);
        return false;
      }
    }
    const server = createServer({ IncomingMessage: Request });
    const requested = once(server, "request") as Promise<[Request, ServerResponse]>;
    const client = connectForTest(await listenForTest(server));
    client.write("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n");
    const [request, response] = await requested;
    client.write("1\r\na\r\n2\r\nbc\r\n");
    await vi.waitFor(() => expect(chunks).toEqual(["a", "bc"]));
    client.write("0\r\n\r\n");
    const { bytesRead } = request.socket;
    const other = connectForTest(client.remotePort ?? 0);
    other.write(requestTo("/other"));
    await once(server, "request");
    expect(request.socket.bytesRead).toBe(bytesRead);
    request.resume();
    await vi.waitFor(() => expect(chunks).toEqual(["a", "bc", null]));
    response.end();
  });

  it("A response whose head is not written yet calls its own `writeHead`", async () => {
    class Response extends ServerResponse {
      override writeHead(status: number): this {
        return super.writeHead(status, ["x-from", "writeHead"]);
      }
    }
    const server = createServer({ ServerResponse: Response }, (request, response) => {
      if (request.url === "/write") response.write("a");
      response.end();
    });
    const url = `http://127.0.0.1:${await listenForTest(server)}`;
    for (const path of ["/write", "/end"]) {
      const { headers } = await fetch(url + path);
      expect(headers.get("x-from")).toBe("writeHead");
    }
  });

  it.each([true, false])(
    "`shouldKeepAlive` decides whether a connection closes after a response: %s",
    async (staysOpen) => {
      const server = createServer((_, response) => {
        response.shouldKeepAlive = staysOpen;
        response.end();
      });
      const client = connectForTest(await listenForTest(server));
      const received = textOf(client);
      client.write(requestTo("/"));
      await once(client, "data");
      const value = staysOpen ? "keep-alive" : "close";
      expect(received.text).toContain(`Connection: ${value}\r\n`);
      if (staysOpen) {
        client.write(requestTo("/again"));
        await vi.waitFor(() => expect(received.text.split("HTTP/1.1 200")).toHaveLength(3));
      } else await once(client, "close");
    },
  );

  it("The parser names the cause of a malformed request", async () => {
    const server = createServer();
    const failed = once(server, "clientError") as Promise<[Error]>;
    connectForTest(await listenForTest(server)).write("GET / HTTP/1.1\r\nbad header\r\n\r\n");
    const [error] = await failed;
    expect(error).toMatchObject({ code: "HPE_INVALID_HEADER_TOKEN", reason: expect.any(String) });
    expect(http1ClientError(error)?.message).toBe(
      `The HTTP/1 request is malformed: ${(error as Error & { reason: string }).reason}`,
    );
  });
});

describe("connections", () => {
  it("Checks for timeouts begin at the event `listening`", async () => {
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

  it("Node calls `destroySoon` of a socket after its last response", async () => {
    const { server, port } = await startServer();
    const close = vi.fn<() => void>();
    server.on("connection", (socket) => onLastResponse(socket, close));
    const client = connectForTest(port);
    client.write(requestTo("/", "Connection: close\r\n"));
    await once(client, "data");
    await vi.waitFor(() => expect(close).toHaveBeenCalledOnce());
    expect(client.destroyed).toBe(false);
  });
});

/** Starts a server whose parser is controlled in the same way on each connection. */
async function startControlled(control: Partial<ParserControl>) {
  const started = await startServer();
  const sockets: Http1Socket[] = [];
  started.server.on("connection", (socket) => {
    sockets.push(socket);
    const isControlled = controlParser(socket, {
      headParsed: () => "continue",
      parsed() {},
      ...control,
    });
    expect(isControlled).toBe(true);
  });
  return { ...started, sockets };
}

describe("the parser", () => {
  it("The result of `onIncoming` pauses the parser, which reports the unread bytes", async () => {
    const { server, port, paths } = await startControlled({ headParsed: () => "pause" });
    const failed = once(server, "clientError") as Promise<[Error]>;
    connectForTest(port).write(requestTo("/1") + requestTo("/2"));
    const [error] = await failed;
    expect(paths).toEqual(["/1"]);
    expect(bytesAfterPause(error)?.toString()).toBe(requestTo("/2"));
  });

  it("Node's own listener can still pass bytes to a paused parser", async () => {
    const { server, port, paths } = await startControlled({ headParsed: () => "pause" });
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
    await vi.waitFor(() => expect(paths).toEqual(["/1", "/2"]));
    client.write("later");
    await vi.waitFor(() => expect(Buffer.concat(later).toString()).toBe("later"));
  });

  it("The parser stops after an ignored `Upgrade`, and reports its position", async () => {
    const upgrade = requestTo("/1", "Connection: upgrade\r\nUpgrade: other\r\n");
    const headParsed = vi.fn<ParserControl["headParsed"]>(() => "report");
    const parsed = vi.fn<ParserControl["parsed"]>();
    const { port, paths } = await startControlled({ headParsed, parsed });
    connectForTest(port).write(upgrade + requestTo("/2"));
    await vi.waitFor(() => expect(parsed).toHaveBeenCalledOnce());
    expect(headParsed.mock.calls).toEqual([["ignored"]]);
    expect(paths).toEqual(["/1"]);
    const [[bytes, count] = []] = parsed.mock.calls;
    expect(bytes?.toString()).toBe(upgrade + requestTo("/2"));
    expect(count).toBe(upgrade.length);
  });

  it("The current read of the parser can be copied", async () => {
    const { server, port } = await startServer();
    const reads: (string | undefined)[] = [];
    server.on("request", ({ socket }) => {
      const { parser } = socket as Http1Socket;
      reads.push(parser?.getCurrentBuffer().toString());
    });
    const client = connectForTest(port);
    client.write(requestTo("/"));
    await once(client, "data");
    expect(reads).toEqual([requestTo("/")]);
  });

  it("`_paused` is set while a client does not read its responses", async () => {
    const server = createServer();
    const sockets: Http1Socket[] = [];
    server.on("request", ({ socket, url }, response) => {
      sockets.push(socket as Http1Socket);
      if (url === "/1") response.end(Buffer.alloc(32 * 1024 * 1024));
    });
    const client = connectForTest(await listenForTest(server));
    client.pause();
    client.write(requestTo("/1"));
    await vi.waitFor(() => expect(sockets).toHaveLength(1));
    const [socket] = sockets;
    expect(socket && canParse(socket)).toBe(true);
    client.write(requestTo("/2"));
    await vi.waitFor(() => expect(sockets).toHaveLength(2));
    expect(socket && canParse(socket)).toBe(false);
    const resumed = once(socket as Socket, "resume");
    client.resume();
    await resumed;
    expect(socket && canParse(socket)).toBe(true);
  });

  it("A new listener takes the bytes of a connection from the parser", async () => {
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
    await vi.waitFor(() => expect(taken).toBe(requestTo("/2")));
    expect(paths).toEqual(["/1"]);
  });
});
