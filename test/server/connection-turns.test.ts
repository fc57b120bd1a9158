import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as nextIteration } from "node:timers/promises";
import { expect, test } from "vitest";
import { createConnectionTurns } from "../../src/server/load/connection-turns.ts";

/** First bytes with a request, and with hundreds. */
const few = 100;
const many = 20_000;

/** Connections that note when they begin. */
function start() {
  const faults: unknown[] = [];
  const beginInTurn = createConnectionTurns((error) => faults.push(error));
  const begun: string[] = [];
  const events = new EventEmitter();
  const connect = (remoteAddress: string, readableLength = few, begin: () => void = () => {}) => {
    const socket = { remoteAddress, readableLength, destroyed: false };
    beginInTurn(socket as unknown as Socket, () => {
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

test("connections whose first bytes bring little begin in the same iteration of the event loop", () => {
  const { connect, begun } = start();
  for (let n = 0; n < 5; n++) connect("192.0.2.1");
  expect(begun).toHaveLength(5);
});

test("while the first bytes of one bring much, others wait, and other addresses go first", async () => {
  const { connect, begun, after } = start();
  for (let n = 0; n < 3; n++) connect("192.0.2.1", many);
  connect("192.0.2.2");
  await nextIteration();
  expect(begun).toEqual(["192.0.2.1"]);
  await after(4);
  expect(begun.indexOf("192.0.2.2")).toBeLessThan(3);
});

test("a pause follows that is as long as the work of the first bytes, which comes in later iterations", async () => {
  const { connect, after } = start();
  let ended = 0;
  const work = () => {
    const end = performance.now() + 30;
    while (performance.now() < end);
    ended = performance.now();
  };
  connect("192.0.2.1", many, () => setImmediate(work));
  connect("192.0.2.2");
  await after(2);
  expect(performance.now() - ended).toBeGreaterThanOrEqual(29);
});

test("an address whose connections bring little does not wait for floods of many addresses", async () => {
  const { connect, begun, after } = start();
  const flood = Array.from({ length: 20 }, (_, n) => `192.0.2.${n}`);
  for (let n = 0; n < 3; n++) for (const address of flood) connect(address, many);
  await after(25);
  const before = begun.length;
  connect("198.51.100.1");
  await after(before + 2);
  expect(begun.slice(before, before + 2)).toContain("198.51.100.1");
});

test("a connection that has closed in the meantime does not begin", async () => {
  const { connect, begun, after } = start();
  connect("192.0.2.1", many);
  connect("192.0.2.2", many).destroyed = true;
  connect("192.0.2.3", many);
  await after(2);
  expect(begun).not.toContain("192.0.2.2");
});

test("an error of one does not stop the others", async () => {
  const { connect, faults, after } = start();
  const error = new Error("no session");
  const fail = () => {
    throw error;
  };
  connect("192.0.2.1", many, fail);
  connect("192.0.2.2", many, fail);
  connect("192.0.2.3");
  await after(3);
  expect(faults).toEqual([error, error]);
});
