import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as nextIteration } from "node:timers/promises";
import { expect, test } from "vitest";
import { ConnectionTurns } from "../../src/server/load/connection-turns.ts";

/** Keeps the process busy, as a first read with many requests does. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Connections that note when they begin. @param now the clock of their turns */
function start(now?: () => number) {
  const faults: unknown[] = [];
  const turns = new ConnectionTurns((error) => faults.push(error), now);
  const begun: string[] = [];
  const events = new EventEmitter();
  const connect = (remoteAddress: string, begin: () => void = () => {}, readableLength = 100) => {
    const socket = { remoteAddress, readableLength, destroyed: false };
    turns.run(socket as unknown as Socket, () => {
      begun.push(remoteAddress);
      events.emit("begun");
      begin();
    });
    return socket;
  };
  const after = async (count: number) => {
    while (begun.length < count) await once(events, "begun");
  };
  return { connect, begun, after, faults };
}

test("connections whose first bytes bring little begin in the same iteration of the event loop", async () => {
  const { connect, begun } = start();
  for (let n = 0; n < 5; n++) connect("192.0.2.1");
  await nextIteration();
  expect(begun).toHaveLength(5);
});

test("connections wait while one has brought much, and other addresses go first", async () => {
  const { connect, begun, after } = start();
  const heavy = () => work(5);
  for (let n = 0; n < 3; n++) connect("192.0.2.1", heavy);
  connect("192.0.2.2", heavy);
  await nextIteration();
  expect(begun).toEqual(["192.0.2.1"]);
  await after(4);
  expect(begun).toEqual(["192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.1"]);
});

test("an address whose connections bring little does not wait for floods of many addresses", async () => {
  const { connect, begun, after } = start();
  for (let n = 0; n < 5; n++) connect("198.51.100.1");
  await after(5);
  const flood = Array.from({ length: 20 }, (_, n) => `192.0.2.${n}`);
  for (let n = 0; n < 3; n++) for (const address of flood) connect(address, () => work(3));
  connect("198.51.100.1");
  await after(7);
  expect(begun.slice(5, 7)).toContain("198.51.100.1");
  await after(30);
  connect("198.51.100.1");
  const before = begun.length;
  await after(before + 2);
  expect(begun.slice(before, before + 2)).toContain("198.51.100.1");
});

test("addresses with similar work take turns, and a heavy one has its turn at last", async () => {
  const clock = { ms: 0 };
  const { connect, begun, after } = start(() => clock.ms);
  const heavy = () => {
    clock.ms += 5;
  };
  for (const address of ["192.0.2.1", "192.0.2.2"]) {
    for (let n = 0; n < 3; n++) connect(address, heavy);
  }
  await after(6);
  for (let n = 2; n < 6; n += 2) expect(new Set(begun.slice(n, n + 2)).size).toBe(2);
});

test("the work of the callbacks with which a session begins counts", async () => {
  const { connect, begun } = start();
  connect("192.0.2.1", () => process.nextTick(work, 5));
  connect("192.0.2.1");
  await nextIteration();
  expect(begun).toHaveLength(1);
});

test("the work that follows large first bytes counts, although it comes in later ticks", async () => {
  const { connect, begun, after } = start();
  const later = () => setImmediate(work, 10);
  connect("192.0.2.1", later, 20_000);
  connect("192.0.2.1", later, 20_000);
  connect("198.51.100.1");
  await after(1);
  await nextIteration();
  expect(begun).toEqual(["192.0.2.1"]);
  await after(3);
  expect(begun).toEqual(["192.0.2.1", "198.51.100.1", "192.0.2.1"]);
});

test("a pause as long as the work follows", async () => {
  const { connect, after } = start();
  let ended = 0;
  connect("192.0.2.1", () => {
    work(30);
    ended = performance.now();
  });
  connect("192.0.2.1");
  await after(2);
  expect(performance.now() - ended).toBeGreaterThanOrEqual(29);
});

test("a connection that has closed in the meantime does not begin", async () => {
  const { connect, begun, after } = start();
  connect("192.0.2.1", () => work(5));
  connect("192.0.2.2").destroyed = true;
  connect("192.0.2.3");
  await after(2);
  expect(begun).toEqual(["192.0.2.1", "192.0.2.3"]);
});

test("an error of one does not stop the others", async () => {
  const { connect, faults, after } = start();
  const error = new Error("no session");
  connect("192.0.2.1", () => {
    throw error;
  });
  connect("192.0.2.2");
  await after(2);
  expect(faults).toEqual([error]);
});
