import { get } from "node:http";
import { connect as connectH2 } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ShelfService } from "../gen/shelf/v1/shelf_pb.ts";
import { type Client, protocols } from "./support/clients.ts";
import { streaming } from "./support/methods.ts";
import { frontDoor, shelfTranscoder } from "./support/shelf.ts";

const rpc = ShelfService.method;
const book = (title: string) => ({ book: { title } }) as never;

type Scan = (request: unknown, call: HandlerContext) => AsyncIterable<never>;

describe.each(protocols)("%s: a stream", (name, serve) => {
  const faults: unknown[] = [];

  async function serveScan(scan: Scan): Promise<Client> {
    faults.length = 0;
    const methods = [streaming(rpc.scan, scan)];
    return serve(frontDoor(shelfTranscoder({ methods, onFault: (error) => faults.push(error) })));
  }

  /** Reads until a text arrives, then disconnects. */
  async function leaveAfter(client: Client, enough: string): Promise<void> {
    await new Promise<void>((resolve) => {
      let seen = "";
      const onData = (chunk: Buffer) => {
        seen += chunk;
        if (seen.includes(enough)) resolve();
      };
      if (name === "HTTP/1.1") {
        const request = get({ port: client.port, path: "/v1/scan" }, (incoming) => {
          incoming.on("data", onData).on("error", () => undefined);
        });
        request.on("error", () => undefined);
        void waitFor(() => seen.includes(enough)).then(() => request.destroy());
      } else {
        const session = connectH2(`http://127.0.0.1:${client.port}`);
        const stream = session.request({ ":path": "/v1/scan" });
        stream.on("data", onData).on("error", () => undefined);
        void waitFor(() => seen.includes(enough)).then(() => session.destroy());
      }
    });
  }

  async function waitFor(isTrue: () => boolean): Promise<void> {
    for (let rounds = 0; rounds < 500 && !isTrue(); rounds++) await sleep(10);
    expect(isTrue()).toBe(true);
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
    await leaveAfter(client, "first");
    await waitFor(() => isOver);
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
    const { close } = await new Promise<{ close: () => void }>((resolve) => {
      if (name === "HTTP/1.1") {
        const request = get({ port: client.port, path: "/v1/scan" }, (incoming) => {
          incoming.pause();
          resolve({ close: () => request.destroy() });
        });
        request.on("error", () => undefined);
      } else {
        const session = connectH2(`http://127.0.0.1:${client.port}`);
        const stream = session.request({ ":path": "/v1/scan" });
        stream.on("error", () => undefined);
        stream.on("response", () => resolve({ close: () => session.destroy() }));
      }
    });
    // Until all buffers are full.
    for (let before = -1; before !== made; ) {
      before = made;
      await sleep(200);
    }
    expect(made).toBeLessThan(200);
    close();
    await waitFor(() => isOver);
    await client.close();
  });
});
