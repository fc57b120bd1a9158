import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as nextIteration } from "node:timers/promises";
import { expect, test } from "vitest";
import { createReadScheduler } from "../../src/front-door/read-scheduler.ts";

/** A fake socket that shows only whether it is being read. */
function fakeSocket() {
  const socket = Object.assign(new EventEmitter(), {
    isRead: true,
    starts: 0,
    _handle: {
      readStart() {
        socket.isRead = true;
        socket.starts += 1;
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
  const scheduler = createReadScheduler();
  const sockets = Array.from({ length: count }, fakeSocket);
  return sockets.map((socket) => ({ socket, count: scheduler.add(socket as unknown as Socket) }));
}

function bring(count: (work: number) => void, requests: number): void {
  for (let n = 0; n < requests; n++) count(1);
}

const areRead = (sockets: readonly { socket: FakeSocket }[]) =>
  sockets.every(({ socket }) => socket.isRead);

test("connections with few requests are never paused", async () => {
  const connections = connect(20);
  for (let iteration = 0; iteration < 20; iteration++) {
    for (const { count } of connections) bring(count, 4);
    expect(areRead(connections)).toBe(true);
    await nextIteration();
  }
});

test("a connection with many requests is read once in an iteration, and again in the next", async () => {
  const [busy, quiet] = connect(2);
  bring(busy?.count ?? (() => {}), 40);
  expect(busy?.socket.isRead).toBe(false);
  expect(quiet?.socket.isRead).toBe(true);
  await nextIteration();
  expect(busy?.socket.isRead).toBe(true);
  // It was started in this iteration, and still is read only once.
  bring(busy?.count ?? (() => {}), 40);
  expect(busy?.socket.isRead).toBe(false);
});

test("no other connection is read in an iteration of the event loop with too many requests", async () => {
  const connections = connect(10);
  const [first] = connections;
  bring(first?.count ?? (() => {}), 1_000);
  expect(connections.some(({ socket }) => socket.isRead)).toBe(false);
});

test("a connection that must wait is not read while its reads bring many requests", async () => {
  const scheduler = createReadScheduler();
  let mustWait = true;
  const [busy, quiet] = [fakeSocket(), fakeSocket()];
  const add = (socket: FakeSocket) => scheduler.add(socket as unknown as Socket, () => mustWait);
  bring(add(busy), 40);
  const countQuiet = add(quiet);
  for (let iteration = 0; iteration < 5; iteration++) {
    bring(countQuiet, 1);
    await nextIteration();
    expect([busy.isRead, quiet.isRead]).toEqual([false, true]);
  }
  mustWait = false;
  await nextIteration();
  await nextIteration();
  expect(busy.isRead).toBe(true);
});

test("a connection that opens in such an iteration waits too", async () => {
  const scheduler = createReadScheduler();
  bring(scheduler.add(fakeSocket() as unknown as Socket), 1_000);
  const late = fakeSocket();
  scheduler.add(late as unknown as Socket);
  expect(late.isRead).toBe(false);
  await nextIteration();
  await nextIteration();
  expect(late.isRead).toBe(true);
});

test("a hundred connections with many requests take scheduler, and one with few is read every time", async () => {
  const connections = connect(101);
  const [modest, ...greedy] = connections;
  let modestTurns = 0;
  const iterations = 300;
  for (let iteration = 0; iteration < iterations; iteration++) {
    if (modest?.socket.isRead) {
      modestTurns += 1;
      modest.count(1);
    }
    let begun = 0;
    for (const { socket, count } of greedy) {
      if (!socket.isRead) continue;
      bring(count, 500);
      begun += 1;
    }
    // A connection that was never read counts with fewer requests than it has.
    expect(begun).toBeLessThanOrEqual(3);
    await nextIteration();
  }
  expect(modestTurns).toBeGreaterThan(iterations * 0.9);
  const startsOf = greedy.map(({ socket }) => socket.starts);
  expect(Math.min(...startsOf)).toBeGreaterThan(0);
  expect(Math.max(...startsOf) - Math.min(...startsOf)).toBeLessThanOrEqual(1);
});

test("connections that bring one request, then many at once, are read a few at a time", async () => {
  const connections = connect(100);
  for (const { count } of connections) bring(count, 1);
  await nextIteration();
  const unread = new Set(connections);
  let iterations = 0;
  for (; unread.size > 0 && iterations < 100; iterations++) {
    let begun = 0;
    for (const each of unread) {
      if (!each.socket.isRead) continue;
      bring(each.count, 250);
      unread.delete(each);
      begun += 1;
    }
    expect(begun).toBeLessThanOrEqual(3);
    await nextIteration();
  }
  expect(unread.size).toBe(0);
});

test("all open connections are read again when the requests have ended", async () => {
  const connections = connect(50);
  const [closed, ...others] = connections;
  for (const { count } of connections) bring(count, 300);
  closed?.socket.emit("close");
  for (let iteration = 0; iteration < 60; iteration++) await nextIteration();
  expect(areRead(others)).toBe(true);
  expect(closed?.socket.isRead).toBe(false);
});
