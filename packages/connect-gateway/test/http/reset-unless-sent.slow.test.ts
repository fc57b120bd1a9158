import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { headersFrame, pseudo } from "../../../../test/support/http2-frames.ts";
import { until } from "../../../../test/system/harness/until.ts";
import { selfSigned } from "../server/support/certificate.ts";
import { largeWindows, opening } from "../server/support/http2-frames.ts";
import { startListener } from "../server/support/listener.ts";

const certificate = selfSigned();

/** More than all buffers between server and client hold, in bytes. */
const largeBody = Buffer.alloc(64 * 1024 * 1024);

const http1Request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const http2Request = Buffer.concat([opening, largeWindows, headersFrame(1, pseudo("GET", "/"))]);

const protocols = [
  { name: "HTTP/1.1", alpn: "http/1.1", bytes: http1Request },
  { name: "HTTP/2", alpn: "h2", bytes: http2Request },
];

/** Starts a server that ends each response at once and calls `resetUnlessSent`. `connections` has its open sockets. */
async function start(isSecure: boolean, body: Buffer) {
  const connections: Socket[] = [];
  const { port } = await startListener({
    handle(response) {
      const { socket } = response;
      socket.once("close", () => connections.pop());
      connections.push(socket);
      response.end(body);
      response.resetUnlessSent();
    },
    ...(isSecure && { tls: certificate }),
  });
  return { port, connections };
}

async function open(port: number, isSecure: boolean, alpn: string): Promise<Socket> {
  const socket = isSecure
    ? connectTls({ port, ALPNProtocols: [alpn], rejectUnauthorized: false })
    : connect(port);
  onTestFinished(() => void socket.destroy());
  socket.pause().on("error", () => {});
  await once(socket, isSecure ? "secureConnect" : "connect");
  return socket;
}

describe.each([
  { transport: "cleartext", isSecure: false },
  { transport: "TLS", isSecure: true },
])("resetUnlessSent over $transport", ({ isSecure }) => {
  it.each(protocols)(
    "$name: closes the connection of a client that does not read",
    async ({ alpn, bytes }) => {
      const { port, connections } = await start(isSecure, largeBody);
      const socket = await open(port, isSecure, alpn);
      socket.write(bytes);
      await until("the request has arrived", () => connections.length === 1);
      await expect.poll(() => connections.length, { timeout: 15_000 }).toBe(0);
    },
    20_000,
  );

  it("HTTP/1.1: keeps the connection open while the client sends more requests", async () => {
    const { port, connections } = await start(isSecure, Buffer.from("ok"));
    const socket = await open(port, isSecure, "http/1.1");
    let text = "";
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece;
    });
    socket.resume();
    for (let sent = 1; sent <= 4; sent += 1) {
      socket.write(http1Request);
      await until("the response has arrived", () => text.split("HTTP/1.1 200").length - 1 === sent);
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    expect(socket.readyState).toBe("open");
    // Without another request, the server closes it.
    await once(socket, "end");
    await until("the connection is closed", () => connections.length < 4);
  }, 20_000);
});
