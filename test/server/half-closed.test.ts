import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { joinConnection } from "../../src/http/exchange/connection-streams.ts";
import type { NodeServerResponse } from "../../src/http/exchange/node-http.ts";
import { selfSigned } from "./support/certificate.ts";
import { get, opening, post, settingsAck } from "./support/http2-frames.ts";
import { startListener } from "./support/listener.ts";

const http1Get = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";
const http1Post = "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\nx";
const tls = selfSigned();

describe.each([
  { over: "cleartext", ...connections(undefined) },
  { over: "TLS", ...connections(tls) },
])("a client over $over that sends FIN", ({ start, open }) => {
  test.each([
    { protocol: "HTTP/1.1", requests: http1Get, count: 1 },
    { protocol: "HTTP/1.1, pipelined", requests: http1Get.repeat(3), count: 3 },
    { protocol: "HTTP/2", requests: Buffer.concat([opening, settingsAck, get(1)]), count: 1 },
    {
      protocol: "HTTP/2, three streams",
      requests: Buffer.concat([opening, settingsAck, get(1), get(3), get(5)]),
      count: 3,
    },
  ])("gets its responses, however late: $protocol", async ({ protocol, requests, count }) => {
    const { port, began } = await start(async (response) => {
      await hasEnded(response);
      response.end("done");
    });
    const client = open(port, protocol.startsWith("HTTP/2"));
    client.socket.end(requests);
    await client.closed;
    expect(began.length).toBe(count);
    expect(client.received().split("done").length - 1).toBe(count);
  });

  test.each([
    { protocol: "HTTP/1.1", request: http1Get },
    { protocol: "HTTP/2", request: Buffer.concat([opening, settingsAck, get(1)]) },
  ])("disconnects from a watch, but not from an import: $protocol", async (given) => {
    const isHttp2 = given.protocol === "HTTP/2";
    for (const when of ["before", "after"]) {
      for (const isWatch of [true, false]) {
        const { port, began } = await start(async (response) => {
          if (when === "after") await hasEnded(response);
          joinConnection(response, () => {}, isWatch);
          if (when === "before") await hasEnded(response);
          await new Promise(setImmediate);
          response.end("done");
        });
        const client = open(port, isHttp2);
        client.socket.end(given.request);
        await client.closed;
        expect(client.received().includes("done")).toBe(!isWatch);
        expect(began.map(({ isComplete }) => isComplete)).toEqual([!isWatch]);
      }
    }
  });

  test.each([
    { protocol: "HTTP/1.1", request: http1Post },
    { protocol: "HTTP/2", request: Buffer.concat([opening, settingsAck, post(1)]) },
  ])("in the middle of a request is disconnected: $protocol", async ({ protocol, request }) => {
    const { port, began } = await start(() => {});
    const client = open(port, protocol === "HTTP/2");
    client.socket.end(request);
    await client.closed;
    await expect.poll(() => began.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  test.each([
    { protocol: "HTTP/1.1", beginning: "" },
    { protocol: "HTTP/1.1", beginning: "GET / HT" },
    { protocol: "HTTP/2", beginning: "PRI * HTTP/2" },
    { protocol: "HTTP/2", beginning: opening },
  ])("without a request is disconnected: $protocol, $beginning", async (given) => {
    const { port } = await start(() => {});
    const client = open(port, given.protocol === "HTTP/2");
    client.socket.end(given.beginning);
    await expect(client.closed).resolves.toEqual([false]);
  });
});

test.each([{ bytes: 0 }, { bytes: 3 }])(
  "a client that sends FIN after $bytes bytes of a TLS handshake is disconnected",
  async (given) => {
    const { port } = await connections(tls).start(() => {});
    const { socket, closed } = connections(undefined).open(port, false);
    socket.end(Buffer.from([0x16, 3, 1]).subarray(0, given.bytes));
    await expect(closed).resolves.toEqual([false]);
  },
);

/** Returns how to start a listener and open a connection to it. The tests take far less time than its timeouts. */
function connections(identity: ReturnType<typeof selfSigned> | undefined) {
  return {
    async start(respond: (response: NodeServerResponse) => unknown) {
      const began: NodeServerResponse[] = [];
      const { port } = await startListener({
        ...(identity && { tls: identity }),
        handle(_request, response) {
          began.push(response);
          void respond(response);
        },
      });
      return { port, began };
    },
    /** Opens a connection that stays half-open after its FIN. */
    open(port: number, isHttp2: boolean) {
      const address = { port, host: "127.0.0.1", allowHalfOpen: true };
      const ALPNProtocols = [isHttp2 ? "h2" : "http/1.1"];
      const socket: Socket = identity
        ? connectTls({ ...address, ca: identity.cert, servername: "localhost", ALPNProtocols })
        : connect(address);
      onTestFinished(() => void socket.destroy());
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk.toString("latin1");
      });
      return { socket, closed: once(socket, "close"), received: () => received };
    },
  };
}

/** Resolves when the server has received the client's FIN. */
async function hasEnded({ req }: NodeServerResponse): Promise<void> {
  const socket = "stream" in req ? req.stream.session?.socket : req.socket;
  if (socket && !socket.readableEnded) await once(socket, "end");
}
