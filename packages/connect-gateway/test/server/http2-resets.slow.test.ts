import { once } from "node:events";
import { constants } from "node:http2";
import { BlockList } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { frame, frameType } from "../../../../test/support/http2-frames.ts";
import { until } from "../../../../test/system/harness/until.ts";
import { addressLimits } from "../../src/server/connections/http2-limits.ts";
import type { RequestHandler } from "../../src/server/connections/listener-options.ts";
import { createAddressFloods } from "../../src/server/load/address-floods.ts";
import { connectHttp2, responseOf } from "./support/http2-client.ts";
import * as frames from "./support/http2-frames.ts";
import { startListener } from "./support/listener.ts";
import { connectRaw, type RawClient } from "./support/raw-http2.ts";

/** Connects a client whose SETTINGS the server has handled. */
async function connectSynced(port: number): Promise<RawClient> {
  const client = await connectRaw(port);
  await client.sync();
  return client;
}

function streamIds(): () => number {
  let next = -1;
  return () => {
    next += 2;
    return next;
  };
}

/** A handler that holds all responses back until `release`. */
function heldBack(): { handle: RequestHandler; begun: number; release(): void } {
  const release: (() => void)[] = [];
  const held = {
    begun: 0,
    handle: ((response) => {
      held.begun += 1;
      release.push(() => response.end("done"));
    }) as RequestHandler,
    release() {
      for (const each of release) {
        each();
      }
    },
  };
  return held;
}

describe("streams of one connection", () => {
  test("SETTINGS announces a limit of 250 in the first frame, and has no setting twice", async () => {
    const { port } = await startListener({ handle: heldBack().handle });
    const { received } = await connectSynced(port);
    const [settings, ack, ...others] = received;
    const { type, payload = Buffer.alloc(0) } = settings ?? {};
    expect(type).toBe(frameType.settings);
    expect(payload.length % 6).toBe(0);
    const entries = Array.from({ length: payload.length / 6 }, (_, index) => [
      payload.readUInt16BE(6 * index),
      payload.readUInt32BE(6 * index + 2),
    ]);
    const known = entries.filter(([id = 0]) => id < 0x10);
    expect(known).toEqual([
      [constants.NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 250],
      [constants.NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 16_384],
    ]);
    expect(new Set(entries.map(([id]) => id)).size).toBe(entries.length);
    expect(ack).toMatchObject({ type: frameType.settings, payload: Buffer.alloc(0) });
    expect(others.map((frame) => frame.type)).toEqual([frameType.ping]);
  });

  test("250 open streams are served if others were cancelled in the same packet", async () => {
    const held = heldBack();
    const { port } = await startListener({ handle: held.handle });
    const client = await connectSynced(port);
    const next = streamIds();
    const open = Array.from({ length: 250 }, next);
    client.socket.write(Buffer.concat(open.map(frames.get)));
    await client.sync();
    for (let round = 0; round < 10; round += 1) {
      const cancelled = open.splice(0, 200);
      const begun = cancelled.map(next);
      open.push(...begun);
      const bytes = cancelled.map((id, at) => [frames.cancel(id), frames.get(begun[at] ?? 0)]);
      client.socket.write(Buffer.concat(bytes.flat()));
    }
    await client.sync();
    held.release();
    await until("all responses came", () => client.of(frameType.headers).length >= open.length);
    expect(client.of(frameType.headers).map(({ stream }) => stream)).toEqual(open);
    expect(client.of(frameType.rstStream)).toEqual([]);
    expect(client.of(frameType.goAway)).toEqual([]);
  });

  test("REFUSED_STREAM for streams beyond 300, and 200 for the others", async () => {
    const held = heldBack();
    const { port } = await startListener({ handle: held.handle });
    const client = await connectSynced(port);
    client.socket.write(Buffer.concat(Array.from({ length: 400 }, streamIds()).map(frames.get)));
    await client.sync();
    const refused = client.of(frameType.rstStream);
    expect(refused.map(({ stream }) => stream)).toEqual(
      Array.from({ length: 100 }, (_, index) => 2 * (300 + index) + 1),
    );
    expect(new Set(refused.map(({ payload }) => payload.readUInt32BE()))).toEqual(
      new Set([constants.NGHTTP2_REFUSED_STREAM]),
    );
    expect(held.begun).toBe(300);
    held.release();
    await until("300 responses came", () => client.of(frameType.headers).length === 300);
  });

  test("far more than 300 streams at once close the connection, and at most 300 are begun", async () => {
    const held = heldBack();
    const { port, url } = await startListener({ handle: held.handle });
    const client = await connectSynced(port);
    const closed = once(client.socket, "close");
    client.socket.write(Buffer.concat(Array.from({ length: 2_000 }, streamIds()).map(frames.get)));
    await closed;
    expect(held.begun).toBeLessThanOrEqual(300);
    const before = held.begun;
    const response = responseOf(connectHttp2(url).request({ ":path": "/" }));
    await until("the next request has begun", () => held.begun === before + 1);
    held.release();
    expect((await response).headers[":status"]).toBe(200);
  });

  test("streams reset in the same packet are not begun", async () => {
    const held = heldBack();
    const { port } = await startListener({ handle: held.handle });
    const client = await connectSynced(port);
    const next = streamIds();
    const pairs = Array.from({ length: 500 }, next).map((id) => [
      frames.get(id),
      frames.cancel(id),
    ]);
    client.socket.write(Buffer.concat(pairs.flat()));
    await client.sync();
    // The first streams of a connection and the last one of a packet may be begun.
    expect(held.begun).toBeLessThan(20);
  });

  test("200 for many streams even if the client reads the responses late", async () => {
    const body = Buffer.alloc(500_000);
    const { url } = await startListener({ handle: (response) => void response.end(body) });
    const session = connectHttp2(url, { maxSessionMemory: 1_000 });
    const responses = await Promise.all(
      Array.from({ length: 200 }, () => responseOf(session.request({ ":path": "/" }))),
    );
    expect(new Set(responses.map(({ body: { length } }) => length))).toEqual(
      new Set([body.length]),
    );
  });
});

/** Sends pairs of a request and its reset, so many at once and then for each ms, all in one second of node's own count. */
async function resetWithinSecond(client: RawClient, atOnce: number, perMs: number, ms: number) {
  const next = streamIds();
  const pair = () => {
    const id = next();
    return Buffer.concat([frames.get(id), frames.cancel(id)]);
  };
  const send = (count: number) =>
    client.socket.write(Buffer.concat(Array.from({ length: count }, pair)));
  await until("a new second", () => process.hrtime.bigint() % 1_000_000_000n < 50_000_000n);
  const start = performance.now();
  send(atOnce);
  for (let sent = 0, due = 0; due < ms * perMs && !client.socket.destroyed; ) {
    await delay(5);
    due = Math.floor(Math.min(ms, performance.now() - start) * perMs);
    if (due > sent) send(due - sent);
    sent = due;
  }
}

test("a client that resets as many streams as the limit allows keeps its connection", async () => {
  const { port } = await startListener({ handle: heldBack().handle });
  const client = await connectSynced(port);
  // At once 2,500 are allowed, and then 5,000 a second.
  await resetWithinSecond(client, 1_800, 4.8, 800);
  await client.sync();
  expect(client.of(frameType.goAway)).toEqual([]);
  expect(client.socket.destroyed).toBe(false);
});

test("GOAWAY with ENHANCE_YOUR_CALM for a client that resets twice as many", async () => {
  const { port } = await startListener({ handle: heldBack().handle });
  const client = await connectSynced(port);
  const closed = once(client.socket, "close");
  await resetWithinSecond(client, 0, 10, 900);
  await closed;
  const codes = client.of(frameType.goAway).map(({ payload }) => payload.readUInt32BE(4));
  expect(codes[0]).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  expect(codes).not.toContain(constants.NGHTTP2_INTERNAL_ERROR);
});

describe("the server closes a connection that floods it, and serves the others:", () => {
  type Make = (next: () => number) => Buffer;

  test.each<[what: string, make: Make]>([
    [
      "requests that the client resets (CVE-2023-44487)",
      (next) => {
        const id = next();
        return Buffer.concat([frames.get(id), frames.cancel(id)]);
      },
    ],
    [
      "requests that the client makes the server reset (CVE-2025-8671)",
      (next) => {
        const id = next();
        return Buffer.concat([frames.post(id), frames.windowOverflow(id)]);
      },
    ],
    ["requests beyond the limit", (next) => frames.get(next())],
    ["malformed requests", (next) => frame(0x1, 0x5, next(), Buffer.from("\x82", "latin1"))],
    ["CONTINUATION (CVE-2024-27316)", () => frame(0x9, 0, 1, Buffer.from("\x40\x01x\x01x"))],
    ["empty DATA", () => frame(0x0, 0, 1, Buffer.alloc(0))],
    [
      "overlong header lists",
      (next) => {
        const id = next();
        const value = Buffer.concat([
          Buffer.from("\x40\x01x\x7f\xa1\x1e", "latin1"),
          Buffer.alloc(4_000, "a"),
        ]);
        const repetitions = Buffer.alloc(5, 0xbe); // one byte for each header
        const fields = Buffer.from("\x82\x86\x84\x41\x04test", "latin1");
        return id % 1_000 === 3
          ? frame(0x1, 0x5, id, Buffer.concat([fields, value]))
          : frame(0x1, 0x5, id, Buffer.concat([fields.subarray(0, 3), repetitions]));
      },
    ],
    ["PING", () => frame(0x6, 0, 0, Buffer.alloc(8))],
    ["SETTINGS", () => frames.settings],
    ["PRIORITY", (next) => frame(0x2, 0, next(), Buffer.from([0, 0, 0, 0, 16]))],
  ])("%s", async (what, make) => {
    const held = heldBack();
    const { port, url, faults } = await startListener({ handle: held.handle });
    const client = await connectSynced(port);
    const next = streamIds();
    const first = what.startsWith("CONTINUATION") ? frames.postUnfinished : frames.post;
    client.socket.write(first(next()));
    const closed = new Promise((resolve) => client.socket.once("close", resolve));
    while (!client.socket.destroyed) {
      const bytes = Buffer.concat(Array.from({ length: 500 }, () => make(next)));
      await new Promise((resolve) => client.socket.write(bytes, resolve));
      await delay(1);
    }
    await closed;
    const before = held.begun;
    const response = responseOf(connectHttp2(url).request({ ":path": "/" }));
    await until("the request of another client was begun", () => held.begun > before);
    held.release();
    expect((await response).headers[":status"]).toBe(200);
    expect(faults).toEqual([]);
  });
});

describe("a client that connects repeatedly", () => {
  /** The counts do not expire during the test. */
  const limits = {
    ...addressLimits,
    resets: { ...addressLimits.resets, perSecond: 0 },
    refused: { ...addressLimits.refused, perSecond: 0 },
  };
  const exempt = new BlockList();
  exempt.addAddress("127.0.0.1");
  const connections = 20;

  /** Opens connections one after another, and sends the same bytes on each. @returns how many were closed */
  async function closedOf(port: number, bytes: Buffer): Promise<number> {
    let closed = 0;
    for (let count = 0; count < connections; count += 1) {
      const client = await connectSynced(port);
      client.socket.write(bytes);
      const ended = new Promise((resolve) => client.socket.once("close", resolve));
      // A second PING after the first acknowledgment: only a connection that stays open acknowledges it.
      await Promise.race([client.sync().then(client.sync), ended]);
      if (client.of(frameType.goAway).length > 0) closed += 1;
      client.socket.destroy();
    }
    return closed;
  }

  const resets = Buffer.concat(
    Array.from({ length: 2_000 }, streamIds()).flatMap((id) => [frames.get(id), frames.cancel(id)]),
  );
  const tooMany = Buffer.concat(Array.from({ length: 590 }, streamIds()).map(frames.get));

  test.each([
    ["resets 2,000 streams", resets, 15],
    ["opens 90 streams too many", tooMany, 16],
  ])("and %s each time has its connections closed", async (_, bytes, atLeast) => {
    const addressFloods = createAddressFloods(limits, new BlockList());
    const { port } = await startListener({ handle: heldBack().handle, addressFloods });
    expect(await closedOf(port, bytes)).toBeGreaterThanOrEqual(atLeast);
  });

  test("and does the same through a trusted proxy keeps its connections", async () => {
    const addressFloods = createAddressFloods(limits, exempt);
    const { port } = await startListener({ handle: heldBack().handle, addressFloods });
    expect(await closedOf(port, resets)).toBe(0);
  });

  test("and disconnects with 250 open streams keeps its connections", async () => {
    const addressFloods = createAddressFloods(
      { ...limits, resets: { atOnce: 250, perSecond: 0 } },
      new BlockList(),
    );
    const { port } = await startListener({ handle: heldBack().handle, addressFloods });
    const open = Array.from({ length: 250 }, streamIds()).map(frames.get);
    // The cancelled stream counts.
    expect(await closedOf(port, Buffer.concat([...open, frames.cancel(1)]))).toBe(0);
  });
});

test("the addresses of an IPv6 /64 share one count, and at most 10,000 counts are kept", () => {
  const floodOf = createAddressFloods(addressLimits, new BlockList());
  const first = floodOf("2001:db8::1");
  expect(floodOf("2001:db8::2")).toBe(first);
  expect(floodOf("2001:db8:0:1::1")).not.toBe(first);
  const other = floodOf("192.0.2.1");
  for (let index = 0; index < 9_998; index += 1) floodOf(`198.51.${index >> 8}.${index & 255}`);
  expect(floodOf("2001:db8::3")).not.toBe(first);
  expect(floodOf("192.0.2.1")).toBe(other);
});

test("200 for a client that skips stream ids", async () => {
  const body = Buffer.alloc(60_000);
  const { port } = await startListener({ handle: (response) => void response.end(body) });
  const client = await connectSynced(port);
  client.socket.write(frames.largeWindows);
  // One gap while long responses are sent, then gaps of 100 ids at 50 requests a second.
  client.socket.write(frames.get(1_000_001));
  const start = performance.now();
  let id = 1_000_001;
  while (performance.now() - start < 3_500) {
    id += 200;
    client.socket.write(frames.get(id));
    await delay(20);
  }
  expect(client.of(frameType.goAway)).toEqual([]);
  expect(client.socket.destroyed).toBe(false);
});

test("200 for a client that skips many stream ids at once during a long response", async () => {
  const begun = Promise.withResolvers<() => void>();
  let requests = 0;
  const { port } = await startListener({
    handle: (response) => {
      requests += 1;
      if (requests > 1) {
        response.end();
        return;
      }
      // Bytes of a response that has not ended look like RST_STREAM frames.
      response.write(Buffer.alloc(60_000));
      begun.resolve(() => response.end());
    },
  });
  const client = await connectSynced(port);
  client.socket.write(Buffer.concat([frames.largeWindows, frames.get(1)]));
  const end = await begun.promise;
  client.socket.write(frames.get(1_000_001));
  await client.sync();
  // The server checks every second. Only the first check finds a gap.
  await delay(2_500);
  end();
  await client.sync();
  expect(client.of(frameType.goAway)).toEqual([]);
  expect(client.socket.destroyed).toBe(false);
});
