import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import {
  flag,
  frame,
  frameType,
  headersFrame,
  opening,
  pseudo,
} from "../../../../test/support/http2-frames.ts";
import { until } from "../../../../test/system/harness/until.ts";
import { startListener } from "./support/listener.ts";

interface Handle {
  readStop(): number;
  readStart(): number;
}

/** Starts a listener, and counts how often it stops and starts to read the connection of the first request. */
async function setUp() {
  const reads = { stops: 0, starts: 0 };
  const received = { bytes: 0 };
  const { port } = await startListener({
    handle(request) {
      const handle = (request.socket as Socket & { readonly _handle: Handle })._handle;
      const { readStop, readStart } = handle;
      handle.readStop = () => {
        reads.stops += 1;
        return readStop.call(handle);
      };
      handle.readStart = () => {
        reads.starts += 1;
        return readStart.call(handle);
      };
      request.countBody();
      request.body.on("data", (data: Buffer) => {
        received.bytes += data.length;
      });
    },
  });
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return { socket: socket.on("error", () => {}).resume(), reads, received };
}

test("an HTTP/2 connection waits for the next tick after many small DATA frames, and is read to the end", async () => {
  const { socket, reads, received } = await setUp();
  const piece = (size: number) => frame(frameType.data, 0, 1, Buffer.alloc(size));
  socket.write(
    Buffer.concat([opening(), headersFrame(1, pseudo("POST", "/"), flag.endHeaders), piece(1)]),
  );
  await until("the request has begun", () => received.bytes === 1);
  for (let part = 1; part <= 2; part += 1) {
    socket.write(Buffer.concat(Array.from({ length: 1_000 }, () => piece(1))));
    await until("all frames have arrived", () => received.bytes === 1 + part * 1_000);
  }
  expect(reads.stops).toBeGreaterThan(0);
  expect(reads.starts).toBeGreaterThan(0);
  socket.destroy();
});
