import { once } from "node:events";
import {
  connect as connectHttp2,
  createServer as createHttp2Server,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { guardEmit } from "../../../src/call/guard.ts";
import { handleOf, writeNow } from "../../../src/server/node-internals/socket-handle.ts";
import { listenForTest, socketPair } from "./support/connections.ts";

test("The handle of a socket counts its bytes", async () => {
  const { client, served } = await socketPair();
  const handle = handleOf(served);
  client.write("12345");
  await once(served, "data");
  expect(handle?.bytesRead).toBe(5);
  client.pause();
  const piece = Buffer.alloc(16 * 1024 * 1024);
  served.write(piece);
  expect(handle?.bytesWritten).toBe(piece.length);
  expect(handle?.writeQueueSize).toBeGreaterThan(0);
  served.destroy();
  expect(handleOf(served)).toBeNull();
});

test("A stopped handle stops an HTTP/2 session", async () => {
  const server = createHttp2Server();
  const streams: string[] = [];
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    streams.push(headers[":path"] ?? "");
    stream.respond();
    stream.end();
  });
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const session = connectHttp2(`http://127.0.0.1:${await listenForTest(server)}`);
  onTestFinished(() => void session.destroy());
  const [socket] = await accepted;
  const first = session.request({ ":path": "/1" });
  await once(first.resume(), "end");
  const handle = handleOf(socket);
  handle?.readStop();
  const { bytesRead } = socket;
  const second = session.request({ ":path": "/2" });
  await expect.poll(() => session.state.outboundQueueSize).toBe(0);
  // Another connection shows that the server had the time to read.
  const other = connectHttp2(`http://127.0.0.1:${socket.localPort}`);
  onTestFinished(() => void other.destroy());
  await once(other.request({ ":path": "/3" }).resume(), "end");
  expect(streams).toEqual(["/1", "/3"]);
  expect(socket.bytesRead).toBe(bytesRead);
  handle?.readStart();
  await once(second.resume(), "end");
  expect(streams).toEqual(["/1", "/3", "/2"]);
});

/** A GOAWAY frame with the largest stream id and NO_ERROR. */
const goaway = Buffer.from("0000080700000000007fffffff00000000", "hex");

test("Bytes written to the file descriptor do not disturb an HTTP/2 session", async () => {
  const server = createHttp2Server();
  const accepted = once(server, "connection") as Promise<[Socket]>;
  server.on("stream", async (stream: ServerHttp2Stream) => {
    const [socket] = await accepted;
    expect(writeNow(socket, goaway)).toBe(goaway.length);
    stream.respond();
    stream.end("complete");
  });
  const session = connectHttp2(`http://127.0.0.1:${await listenForTest(server)}`);
  onTestFinished(() => void session.destroy());
  const told = once(session, "goaway");
  const request = session.request({ ":path": "/" }).setEncoding("utf8");
  let body = "";
  request.on("data", (text) => {
    body += text;
  });
  await once(request, "end");
  expect(body).toBe("complete");
  expect((await told).slice(0, 2)).toEqual([0, 2 ** 31 - 1]);
});

test("Listeners are called through `emit`, which can be replaced", async () => {
  const errors: unknown[] = [];
  const server = createHttp2Server();
  guardEmit(server, (error) => errors.push(error));
  const fail = (where: string) => {
    throw where;
  };
  server.on("session", (session) => {
    guardEmit(session, (error) => errors.push(error));
    session.on("stream", (stream) => {
      guardEmit(stream, (error) => errors.push(error));
      stream.on("data", () => fail("stream"));
      stream.on("end", () => stream.close());
      fail("session");
    });
    fail("server");
  });
  const session = connectHttp2(`http://127.0.0.1:${await listenForTest(server)}`);
  onTestFinished(() => void session.destroy());
  const request = session.request({ ":path": "/", ":method": "POST" });
  request.end("body");
  await once(request.resume(), "close");
  expect(errors).toEqual(["server", "session", "stream"]);
});
