import type { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { until } from "../../../../test/system/harness/until.ts";
import { bodyPieces, readBody } from "../../src/http/exchange/body.ts";
import type { Exchange } from "../../src/http/exchange/exchange.ts";
import { wholeEnvelopes } from "../../src/rpc/envelope.ts";
import { connectHttp1 } from "../server/support/http1-client.ts";
import { startListener } from "../server/support/listener.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Memory in use, in bytes: objects and buffers. */
function memory(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const size = 60_000;

type Read = (exchange: Exchange) => Promise<number>;

const readers: readonly (readonly [string, Read])[] = [
  [
    "readBody",
    async (response) => (await readBody(response, 65_536, () => new Error("too large"))).length,
  ],
  [
    "reading whole messages",
    async (request) => {
      let length = 0;
      for await (const piece of wholeEnvelopes(bodyPieces(request).pieces, 65_536)) {
        length += piece.length;
      }
      return length;
    },
  ],
];

describe.each(readers)("%s", (_name, read) => {
  test("a body of small chunks over HTTP/1.1 takes at most twice its size in memory", async () => {
    let bytes = 0;
    let length = 0;
    const { port } = await startListener({
      handle: (exchange) => {
        exchange.body.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
        });
        read(exchange).then(
          (all) => {
            length = all;
            exchange.end();
          },
          (error) => exchange.end(String(error)),
        );
      },
    });
    const { socket, response } = await connectHttp1(
      port,
      "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    socket.write("1\r\n\0\r\n");
    await until("the first byte has arrived", () => bytes === 1);
    const before = memory();
    // The prefix of an envelope, then its bytes.
    socket.write(`4\r\n${prefix(size).subarray(1).toString("latin1")}\r\n`, "latin1");
    const small = `3c\r\n${"x".repeat(60)}\r\n`;
    socket.write(small.repeat(size / 60 - 1));
    await until("all chunks except the last have arrived", () => bytes === 5 + size - 60);
    // Garbage of the client and the test counts too, until it is collected.
    const bound = before + 2 * size + 300_000;
    await until("memory is at most twice the body", () => memory() < bound);
    socket.write(`${small}0\r\n\r\n`);
    expect((await response()).status).toBe(200);
    expect(length).toBe(5 + size);
  });
});

describe("the count of the memory of a body is given back when the body", () => {
  test.each<[string, (socket: Socket) => void, string]>([
    ["is complete", (socket) => socket.write("0\r\n\r\n"), "10000 bytes"],
    ["is too large", (socket) => socket.write(chunk(2_001)), "too large"],
    ["is broken off", (socket) => socket.destroy(), "The client has disconnected"],
  ])("%s", async (_, goOn, expected) => {
    let counted = 0;
    const outcome = Promise.withResolvers<string>();
    const { port } = await startListener({
      handle: (response) => {
        const unread = {
          hold: (bytes: number) => {
            counted += bytes;
          },
          pass() {},
        };
        Object.assign(response, { connection: { ...response.connection, unread } });
        const read = async () => readBody(response, 12_000, () => new Error("too large"));
        read().then(
          ({ length }) => outcome.resolve(`${length} bytes`),
          (error) => outcome.resolve(String(error)),
        );
      },
    });
    const { socket } = await connectHttp1(
      port,
      "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n",
      chunk(5_000),
      chunk(5_000),
    );
    await until("both parts are counted", () => counted >= 10_000);
    goOn(socket);
    expect(await outcome.promise).toContain(expected);
    expect(counted).toBe(0);
  });
});

function chunk(bytes: number): string {
  return `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`;
}

function prefix(length: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}
