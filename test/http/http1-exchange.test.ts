import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Http1Request } from "../../src/http/exchange/http1-exchange.ts";

/** Sends chunks to a server. @returns the buffers in which its handler receives the body */
async function received(chunks: readonly string[], isLate = false): Promise<Buffer[]> {
  const server = createServer({ IncomingMessage: Http1Request });
  onTestFinished(() => void server.close());
  const pieces = new Promise<Buffer[]>((resolve) => {
    server.on("request", (request, response) => {
      const all: Buffer[] = [];
      const read = () =>
        request
          .on("data", (piece: Buffer) => void all.push(piece))
          .on("end", () => {
            response.end();
            resolve(all);
          });
      if (isLate) setImmediate(read);
      else read();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const body = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
  socket.write(
    `POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`,
  );
  return pieces;
}

const bytesOf = (pieces: readonly Buffer[]) => Buffer.concat(pieces).toString();

describe("the body of a request over HTTP/1.1", () => {
  it.each([false, true])(
    "arrives in few buffers if its chunks are tiny (read late: %s)",
    async (isLate) => {
      const chunks = Array.from({ length: 4_000 }, (_, at) => String(at % 10));
      const pieces = await received(chunks, isLate);
      expect(bytesOf(pieces)).toBe(chunks.join(""));
      expect(pieces.length).toBeLessThan(100);
    },
  );

  it("keeps the order of large and small chunks", async () => {
    const chunks = Array.from({ length: 200 }, (_, at) =>
      at % 7 === 0 ? `<${"x".repeat(5_000)}>` : `(${at})`,
    );
    expect(bytesOf(await received(chunks))).toBe(chunks.join(""));
  });

  it("closes the connection after 10,000 chunks of one byte", async () => {
    let received = 0;
    const server = createServer({ IncomingMessage: Http1Request }, (request) => {
      request.on("data", (chunk: Buffer) => {
        received += chunk.length;
      });
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => {});
    const ended = new Promise((resolve) => socket.resume().on("close", resolve));
    socket.write("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n");
    socket.write("1\r\nx\r\n".repeat(10_000));
    await ended;
    expect(received).toBeGreaterThan(9_000);
    expect(received).toBeLessThanOrEqual(10_000);
  });

  it("passes single chunks on at once", async () => {
    expect((await received(["one", "two"])).map(String)).toEqual(["one", "two"]);
  });
});
