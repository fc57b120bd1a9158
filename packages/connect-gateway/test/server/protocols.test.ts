import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { peerAddress } from "../../src/http/exchange/exchange.ts";
import type { RequestHandler } from "../../src/server/connections/listener-options.ts";
import { selfSigned } from "./support/certificate.ts";
import { connectHttp1 } from "./support/http1-client.ts";
import { connectHttp2, responseOf } from "./support/http2-client.ts";
import { startListener } from "./support/listener.ts";

const versionOf: RequestHandler = (exchange) => exchange.end(exchange.httpVersion);

const get = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";

/** Writes one byte per event-loop tick. The server runs in the same process, so that it reads each byte by itself. */
function byteByByte(socket: Socket): Duplex {
  socket.setNoDelay();
  socket.on("error", () => {}); // `close` follows
  const duplex = new Duplex({
    read() {},
    async write(chunk: Buffer, _encoding, done) {
      for (const byte of chunk) {
        socket.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      done();
    },
  });
  socket.on("data", (chunk) => duplex.push(chunk));
  socket.on("close", () => duplex.destroy());
  duplex.on("close", () => socket.destroy());
  return duplex;
}

describe("cleartext", () => {
  test("200 in HTTP/1.1 and HTTP/2 on the same port", async () => {
    const { port, url } = await startListener({ handle: versionOf });
    expect(url).toBe(`http://127.0.0.1:${port}`);
    const http1 = await connectHttp1(port, get);
    const http2 = connectHttp2(url).request({ ":path": "/" });
    expect((await http1.response()).body).toBe("1.1");
    expect((await responseOf(http2)).body).toBe("2.0");
  });

  test("200 in HTTP/2 when the preface arrives byte by byte", async () => {
    const { port, url } = await startListener({ handle: versionOf });
    const session = connectHttp2(url, {
      createConnection: () => byteByByte(connectTcp(port, "127.0.0.1")),
    });
    expect((await responseOf(session.request({ ":path": "/" }))).body).toBe("2.0");
  });

  test.each(["GET", "POST", "PRI", "PUT"])(
    "200 in HTTP/1.1 for a %s request that arrives byte by byte",
    async (method) => {
      const { port } = await startListener({ handle: versionOf });
      const socket = connectTcp(port, "127.0.0.1");
      await once(socket, "connect");
      const client = await connectHttp1(socket);
      byteByByte(socket).write(get.replace("GET", method));
      expect((await client.response()).status).toBe(method === "PRI" ? 400 : 200);
    },
  );

  test("200 for a request sent together with the end of the connection", async () => {
    const { port } = await startListener({ handle: versionOf });
    const client = await connectHttp1(port);
    client.socket.end(get);
    expect((await client.response()).body).toBe("1.1");
    expect(await client.closed()).toBe("");
  });

  test.each([
    ["sends nothing", ""],
    ["stops within the preface", "PRI * HTTP/2.0\r\n"],
  ])("a client that %s is cut off", async (_what, bytes) => {
    const { port } = await startListener({ handle: versionOf, headersTimeoutMs: 100 });
    const client = await connectHttp1(port, bytes);
    expect(await client.closed()).toBe("");
  });
});

describe("TLS", () => {
  const { key, cert } = selfSigned();
  const tls = { key, cert };

  async function handshake(port: number, ALPNProtocols?: string[]): Promise<TLSSocket> {
    const socket = connectTls({ port, ca: cert, servername: "localhost", ALPNProtocols });
    await once(socket, "secureConnect");
    return socket;
  }

  test("200 in HTTP/2 when ALPN selects h2", async () => {
    const { url } = await startListener({ handle: versionOf, tls });
    expect(url).toMatch(/^https:/);
    const session = connectHttp2(url, { ca: cert, servername: "localhost" });
    expect((await responseOf(session.request({ ":path": "/" }))).body).toBe("2.0");
    expect(session.alpnProtocol).toBe("h2");
  });

  test.each([
    ["says http/1.1", ["http/1.1"]],
    ["is not used", undefined],
  ])("200 in HTTP/1.1 when ALPN %s", async (_what, protocols) => {
    const { port } = await startListener({ handle: versionOf, tls });
    const client = await connectHttp1(await handshake(port, protocols), get);
    expect((await client.response()).body).toBe("1.1");
  });

  test("the handshake fails when ALPN has no protocol in common", async () => {
    const { port } = await startListener({ handle: versionOf, tls });
    await expect(handshake(port, ["spdy/3"])).rejects.toThrow(/alert no application protocol/);
  });

  test.each([
    ["speaks cleartext", get],
    ["sends nothing", ""],
  ])("a client that %s is cut off, and others are served", async (_what, bytes) => {
    const { port } = await startListener({ handle: versionOf, tls, headersTimeoutMs: 100 });
    const client = await connectHttp1(port, bytes);
    await client.closed();
    const next = async () => {
      const { response } = await connectHttp1(await handshake(port), get);
      return (await response()).body;
    };
    // The process can stop for as long as a handshake may take.
    await expect.poll(() => next().catch(String)).toBe("1.1");
  });
});

test.each(["cleartext", "TLS"])(
  "the address of a client over %s is known when its connection has closed",
  async (transport) => {
    const tls = transport === "TLS" ? selfSigned() : undefined;
    const ended = Promise.withResolvers<string | undefined>();
    const { port } = await startListener({
      ...(tls && { tls }),
      handle: (request) => request.socket.destroy(),
      onRequestEnd: (_, response) => ended.resolve(response && peerAddress(response)),
    });
    const socket = tls
      ? connectTls({ port, ca: tls.cert, servername: "localhost" })
      : connectTcp(port, "127.0.0.1");
    socket.on("error", () => {}).write(get);
    expect(await ended.promise).toBe("127.0.0.1");
    socket.destroy();
  },
);
