import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as nextIteration } from "node:timers/promises";
import { expect, test } from "vitest";
import { ConnectionTurns } from "../../src/front-door/connection-turns.ts";

/** Keeps the process busy, as a first read with many requests does. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Connections that note when they begin. */
function start() {
  const faults: unknown[] = [];
  const turns = new ConnectionTurns((error) => faults.push(error));
  const begun: string[] = [];
  const events = new EventEmitter();
  const connect = (remoteAddress: string, begin: () => void = () => {}) => {
    const socket = { remoteAddress, destroyed: false };
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

test("connections wait while one has brought much, in turns of their addresses", async () => {
  const { connect, begun, after } = start();
  const heavy = () => work(5);
  for (let n = 0; n < 3; n++) connect("192.0.2.1", heavy);
  connect("192.0.2.2", heavy);
  await nextIteration();
  expect(begun).toEqual(["192.0.2.1"]);
  await after(4);
  expect(begun).toEqual(["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.1"]);
});

test("the work of the callbacks with which a session begins counts", async () => {
  const { connect, begun } = start();
  connect("192.0.2.1", () => process.nextTick(work, 5));
  connect("192.0.2.1");
  await nextIteration();
  expect(begun).toHaveLength(1);
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
