import type { Socket } from "node:net";
import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { bodyPieces } from "../../src/http/exchange/body.ts";
import { connectHttp1 } from "../server/support/http1-client.ts";
import { cancel, data, post } from "../server/support/http2-frames.ts";
import { startListener } from "../server/support/listener.ts";
import { connectRaw } from "../server/support/raw-http2.ts";

const begin = "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegin\r\n";

/** Begins a request with a body. @returns the socket, on which the rest can be sent */
type Begin = (port: number) => Promise<Socket>;

const overHttp1: Begin = async (port) => (await connectHttp1(port, begin)).socket;

const overHttp2: Begin = async (port) => {
  const { socket } = await connectRaw(port);
  socket.write(Buffer.concat([post(1), data(1, "begin")]));
  return socket;
};

test.each<[string, Begin, (socket: Socket) => void]>([
  ["a lost connection over HTTP/1.1", overHttp1, (socket) => socket.destroy()],
  ["a lost connection over HTTP/2", overHttp2, (socket) => socket.destroy()],
  ["a reset over HTTP/2", overHttp2, (socket) => void socket.write(cancel(1))],
])("a body does not look complete after %s, even if its reader is slow", async (_, open, end) => {
  const first = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<unknown>();
  const { port } = await startListener({
    handle(exchange) {
      const { pieces } = bodyPieces(exchange);
      const read = async () => {
        const closed = new Promise<void>((resolve) => exchange.once("close", resolve));
        await pieces.next();
        first.resolve();
        await closed;
        return await Array.fromAsync(pieces);
      };
      read().then(rest.resolve, rest.resolve);
    },
  });
  const socket = await open(port);
  await first.promise;
  end(socket);
  expect(await rest.promise).toMatchObject({ code: Code.Canceled });
});
