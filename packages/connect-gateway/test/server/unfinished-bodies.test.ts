import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/system/harness/until.ts";
import { readBody } from "../../src/http/exchange/body.ts";
import { startListener } from "./support/listener.ts";

const bodyBytes = 100_000;
const maxBytesPerAddress = 1e6;

/** Starts a server that reads bodies. @returns its port, and why it has reset connections */
async function startReader() {
  const dropped: string[] = [];
  const { port } = await startListener({
    async handle(response) {
      const tooLarge = () => new Error("too large");
      const body = await Promise.resolve(readBody(response, 2 * bodyBytes, tooLarge)).catch(
        () => undefined,
      );
      response.end(String(body?.length));
    },
    onConnectionDropped: (cause) => dropped.push(cause),
    unread: { maxBytes: 1e9, maxBytesPerAddress },
  });
  return { port, dropped };
}

/** Sends the headers of a request and a part of its body. */
function begin(port: number, bytes: number): Socket {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {}).resume();
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${bodyBytes}\r\n\r\n`);
  socket.write(Buffer.alloc(bytes));
  return socket;
}

test("HTTP/1 connections with the oldest unfinished bodies are reset when their address exceeds its bound", async () => {
  const { port, dropped } = await startReader();
  const first = begin(port, bodyBytes - 1);
  await until("the first body has arrived", () => first.bytesWritten > bodyBytes);
  const others = Array.from({ length: 15 }, () => begin(port, bodyBytes - 1));
  await until("the first connection is closed", () => first.closed);
  expect(new Set(dropped)).toEqual(new Set(["MAX_UNREAD_BYTES_PER_ADDRESS"]));
  expect(others.some(({ closed }) => !closed)).toBe(true);
});

test("an HTTP/2 connection with many unfinished bodies is reset", async () => {
  const { port, dropped } = await startReader();
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  session.on("error", () => {});
  for (let n = 0; n < 30; n++) {
    session
      .request({ ":method": "POST" })
      .on("error", () => {})
      .write(Buffer.alloc(bodyBytes - 1));
  }
  await until("the connection is closed", () => session.destroyed);
  expect(dropped).toEqual(["MAX_UNREAD_BYTES_PER_ADDRESS"]);
});

test("complete bodies do not count, however many there are", async () => {
  const { port, dropped } = await startReader();
  for (let n = 0; n < 30; n++) {
    const socket = begin(port, bodyBytes);
    const text = await new Promise<string>((resolve) =>
      socket.once("data", (data) => resolve(String(data))),
    );
    expect(text).toContain(`\r\n\r\n${bodyBytes}`);
  }
  expect(dropped).toEqual([]);
});
