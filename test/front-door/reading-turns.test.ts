import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as nextIteration } from "node:timers/promises";
import { expect, test } from "vitest";
import { createReadingTurns } from "../../src/front-door/reading-turns.ts";

/** A socket of which only the reading can be seen. */
function fakeSocket() {
  const socket = Object.assign(new EventEmitter(), {
    isRead: true,
    turns: 0,
    _handle: {
      readStart() {
        socket.isRead = true;
        socket.turns += 1;
        return 0;
      },
      readStop() {
        socket.isRead = false;
        return 0;
      },
    },
  });
  return socket;
}

type FakeSocket = ReturnType<typeof fakeSocket>;

function connect(count: number) {
  const turns = createReadingTurns();
  const sockets = Array.from({ length: count }, fakeSocket);
  return sockets.map((socket) => ({ socket, count: turns.add(socket as unknown as Socket) }));
}

function bring(count: () => void, requests: number): void {
  for (let n = 0; n < requests; n++) count();
}

const areRead = (sockets: readonly { socket: FakeSocket }[]) =>
  sockets.every(({ socket }) => socket.isRead);

test("connections that bring few requests are never stopped", async () => {
  const connections = connect(10);
  for (let iteration = 0; iteration < 20; iteration++) {
    for (const { count } of connections) bring(count, 10);
    expect(areRead(connections)).toBe(true);
    await nextIteration();
  }
});

test("no other connection is read in an iteration that has brought too many requests", async () => {
  const connections = connect(10);
  const [first] = connections;
  bring(first?.count ?? (() => {}), 1_000);
  expect(connections.some(({ socket }) => socket.isRead)).toBe(false);
});

test("a connection that is made in such an iteration waits for its turn, too", async () => {
  const turns = createReadingTurns();
  bring(turns.add(fakeSocket() as unknown as Socket), 1_000);
  const late = fakeSocket();
  turns.add(late as unknown as Socket);
  expect(late.isRead).toBe(false);
  await nextIteration();
  await nextIteration();
  expect(late.isRead).toBe(true);
});

test("a hundred greedy connections take turns, and one that brings little has one every time", async () => {
  const connections = connect(101);
  const [modest, ...greedy] = connections;
  let modestTurns = 0;
  const iterations = 300;
  for (let iteration = 0; iteration < iterations; iteration++) {
    if (modest?.socket.isRead) {
      modestTurns += 1;
      modest.count();
    }
    let begun = 0;
    for (const { socket, count } of greedy) {
      if (!socket.isRead) continue;
      bring(count, 500);
      begun += 1;
    }
    // Of a connection that was not read before fewer requests are expected than it brings.
    expect(begun).toBeLessThanOrEqual(3);
    await nextIteration();
  }
  expect(modestTurns).toBeGreaterThan(iterations * 0.9);
  const turnsOf = greedy.map(({ socket }) => socket.turns);
  expect(Math.min(...turnsOf)).toBeGreaterThan(0);
  expect(Math.max(...turnsOf) - Math.min(...turnsOf)).toBeLessThanOrEqual(1);
});

test("all are read again when the requests are over, and those that were closed are not", async () => {
  const connections = connect(50);
  const [closed, ...others] = connections;
  for (const { count } of connections) bring(count, 300);
  closed?.socket.emit("close");
  for (let iteration = 0; iteration < 60; iteration++) await nextIteration();
  expect(areRead(others)).toBe(true);
  expect(closed?.socket.isRead).toBe(false);
});
