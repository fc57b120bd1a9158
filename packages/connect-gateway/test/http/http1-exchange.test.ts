import { expect, test } from "vitest";
import { readBody } from "../../src/http/exchange/body.ts";
import { connectHttp1 } from "../server/support/http1-client.ts";
import { startListener } from "../server/support/listener.ts";

/** Sends a body in chunks of the same size. @returns the status, and whether the connection stays open */
async function send(chunkBytes: number, count: number) {
  const { port } = await startListener({
    async handle(response) {
      const body = await readBody(response, 1e9, () => new Error("too large"));
      response.end(String(body.length));
    },
    onThrow: (response, error) =>
      void response.writeHead(400, { "content-length": String(error).length }).end(String(error)),
  });
  const { socket, response } = await connectHttp1(
    port,
    "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n",
  );
  const chunk = `${chunkBytes.toString(16)}\r\n${"x".repeat(chunkBytes)}\r\n`;
  socket.on("error", () => {});
  socket.write(`${chunk.repeat(count)}0\r\n\r\n`);
  const { status, body, headers } = await response();
  return { status, body, connection: headers.get("connection") };
}

test("a body of 10,000 chunks of one byte is refused, and the connection closes", async () => {
  const { status, body, connection } = await send(1, 10_000);
  expect([status, connection]).toEqual([400, "close"]);
  expect(body).toContain("Send at least 64 bytes in each chunk.");
});

test.each([
  [64, 10_000],
  [1, 4_000],
])("a body with chunks of %i bytes, %i of them, is read", async (size, count) => {
  expect(await send(size, count)).toMatchObject({ status: 200, body: `${size * count}` });
});
