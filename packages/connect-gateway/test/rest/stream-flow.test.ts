import { once } from "node:events";
import { get } from "node:http";
import { connect as connectH2 } from "node:http2";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { type Client, protocols } from "./support/clients.ts";
import { streaming } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;
const book = (title: string) => ({ book: { title } }) as never;

/** Polling options that allow for a busy machine. */
const longTimeout = { timeout: 10_000 };

type Scan = (request: unknown, call: HandlerContext) => AsyncIterable<never>;

describe.each(protocols)("%s: a stream", (name, serve) => {
  const faults: unknown[] = [];

  async function serveScan(scan: Scan): Promise<Client> {
    faults.length = 0;
    const methods = [streaming(rpc.scan, scan)];
    return serve(frontDoor(shelfTranscoder({ methods, onFault: (error) => faults.push(error) })));
  }

  /** Begins to receive a stream, without reading it. Returns a function that disconnects, too. */
  async function begin({ port }: Client): Promise<{ data: Readable; leave: () => void }> {
    if (name === "HTTP/1.1") {
      const request = get({ port, path: "/v1/scan" }).on("error", () => undefined);
      const [data] = await once(request, "response");
      return { data: data.on("error", () => undefined), leave: () => request.destroy() };
    }
    const session = connectH2(`http://127.0.0.1:${port}`);
    const data = session.request({ ":path": "/v1/scan" }).on("error", () => undefined);
    await once(data, "response");
    return { data, leave: () => session.destroy() };
  }

  test("each message is sent at once, and the signal is aborted when the client disconnects", async () => {
    let reason: unknown;
    let isOver = false;
    const client = await serveScan(async function* (_, call) {
      try {
        yield book("first");
        await new Promise((resolve) => call.signal.addEventListener("abort", resolve));
        reason = call.signal.reason;
      } finally {
        isOver = true;
      }
    });
    const { data, leave } = await begin(client);
    const [message] = await once(data, "data");
    expect(message.toString()).toContain("first");
    leave();
    await expect.poll(() => isOver, longTimeout).toBe(true);
    expect(reason).toMatchObject({ code: Code.Canceled });
    expect(faults).toEqual([]);
    await client.close();
  });

  test("the method is not asked for more messages than the client reads", async () => {
    let made = 0;
    let isOver = false;
    const client = await serveScan(async function* () {
      try {
        for (; made < 10_000; made++) yield book("x".repeat(100_000));
      } finally {
        isOver = true;
      }
    });
    const { leave } = await begin(client);
    // Until all buffers are full.
    for (let before = -1; before !== made; ) {
      before = made;
      await sleep(200);
    }
    expect(made).toBeLessThan(200);
    leave();
    await expect.poll(() => isOver, longTimeout).toBe(true);
    await client.close();
  });
});
