import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as nextIteration } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createReadScheduler } from "../../src/server/load/read-scheduler.ts";

/** A fake socket that shows only whether it is being read. */
function fakeSocket(remoteAddress = "192.0.2.1") {
  const socket = Object.assign(new EventEmitter(), {
    remoteAddress,
    bytesRead: 0,
    isRead: true,
    starts: 0,
    _handle: {
      reading: true,
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

let busyMs = 0;
/** A scheduler for which event-loop ticks are as long as the test says. */
const newScheduler = () => createReadScheduler(() => busyMs);

/** Adds a connection. @returns it, with a function that counts work */
function add(
  scheduler: ReturnType<typeof newScheduler>,
  socket = fakeSocket(),
  onOtherBytes?: (bytes: number) => void,
) {
  const count = scheduler.add(socket as unknown as Socket, onOtherBytes);
  return { socket, count: (work: number) => count(work, 0) };
}

function connect(count: number, address?: string, scheduler = newScheduler()) {
  return Array.from({ length: count }, () => add(scheduler, fakeSocket(address)));
}

function bring(count: ((work: number) => void) | undefined, requests: number): void {
  for (let n = 0; n < requests; n++) count?.(1);
}

/** Lets connections bring little until little is expected of them. */
async function quieten(connections: readonly (Pick<Connected, "count"> | undefined)[]) {
  for (let iteration = 0; iteration < 8; iteration++) {
    for (const connection of connections) connection?.count(0.1);
    await nextIteration();
  }
}

type Connected = ReturnType<typeof add>;

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
  bring(busy?.count, 40);
  expect(busy?.socket.isRead).toBe(false);
  expect(quiet?.socket.isRead).toBe(true);
  await nextIteration();
  expect(busy?.socket.isRead).toBe(true);
  // It was started in this iteration, and still is read only once.
  bring(busy?.count, 40);
  expect(busy?.socket.isRead).toBe(false);
});

test("no other connection is read in an iteration of the event loop with too many requests", async () => {
  const connections = connect(10);
  const [first] = connections;
  bring(first?.count, 1_000);
  expect(connections.some(({ socket }) => socket.isRead)).toBe(false);
});

test("a connection that opens in such an iteration waits too", async () => {
  const scheduler = newScheduler();
  bring(add(scheduler).count, 1_000);
  const late = fakeSocket();
  add(scheduler, late);
  expect(late.isRead).toBe(false);
  await nextIteration();
  await nextIteration();
  expect(late.isRead).toBe(true);
});

test("a hundred connections with many requests take scheduler, and one with few is read every time", async () => {
  const connections = connect(101);
  const [modest, ...greedy] = connections;
  await quieten([modest]);
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
  await quieten(connections);
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

test("bytes that are no part of other work are looked at after a long iteration", async () => {
  const scheduler = newScheduler();
  const found: number[] = [];
  const { socket } = add(scheduler, fakeSocket(), (bytes) => found.push(bytes));
  socket.bytesRead += 60_000;
  await nextIteration();
  expect([found, socket.isRead]).toEqual([[], true]);
  busyMs += 5;
  await nextIteration();
  expect([found, socket.isRead]).toEqual([[60_000], false]);
  await expect.poll(() => socket.isRead).toBe(true);
  expect(found).toEqual([60_000]);
});

test("bytes of requests are counted once", async () => {
  const scheduler = newScheduler();
  const found: number[] = [];
  const socket = fakeSocket();
  const count = scheduler.add(socket as unknown as Socket, (bytes) => found.push(bytes));
  socket.bytesRead += 60_000;
  count(1, 50_000);
  busyMs += 5;
  await nextIteration();
  expect(found).toEqual([10_000]);
});

describe("next to an address with many connections", () => {
  const iterations = 100;

  /** Counts the iterations in which a connection of another address is read, with as much work as each of theirs. */
  async function turnsOf(work: number, first: number): Promise<number> {
    const scheduler = newScheduler();
    const others = connect(500, "198.51.100.1", scheduler);
    const [one] = connect(1, "192.0.2.1", scheduler);
    await quieten([...others, one]);
    for (const { count } of others) bring(count, first);
    let turns = 0;
    for (let iteration = 0; iteration < iterations; iteration++) {
      await nextIteration();
      if (one?.socket.isRead) {
        turns += 1;
        one.count(work);
      }
      for (const { socket, count } of others) if (socket.isRead) bring(count, work);
    }
    return turns;
  }

  test("a connection with few requests is read in every iteration", async () => {
    expect(await turnsOf(3, 3)).toBeGreaterThan(iterations * 0.9);
  });

  test("a connection with many requests is read in every second iteration", async () => {
    expect(await turnsOf(250, 250)).toBeGreaterThan(iterations * 0.4);
  });
});

test("connections of one address with few requests each are read a few at a time, in turns", async () => {
  const connections = connect(500);
  await quieten(connections);
  for (const { count } of connections) bring(count, 4);
  const before = connections.map(({ socket }) => socket.starts);
  for (let iteration = 0; iteration < 300; iteration++) {
    await nextIteration();
    let read = 0;
    for (const { socket, count } of connections) {
      if (!socket.isRead) continue;
      bring(count, 4);
      read += 1;
    }
    // The budget of 100 allows 25 of them.
    expect(read).toBeLessThanOrEqual(25);
  }
  const turns = connections.map(({ socket }, index) => socket.starts - (before[index] ?? 0));
  expect(Math.min(...turns)).toBeGreaterThan(0);
});

describe("new connections", () => {
  /** First bytes with a request, and with hundreds. */
  const few = 16;
  const many = 20_000;

  function start(scheduler = newScheduler()) {
    const begun: string[] = [];
    const open = (remoteAddress: string, readableLength = few) => {
      const socket = { remoteAddress, readableLength, destroyed: false };
      scheduler.begin(socket as unknown as Socket, () => begun.push(remoteAddress));
      return socket;
    };
    const untilBegun = async (count: number) => {
      while (begun.length < count) await nextIteration();
    };
    return { open, begun, untilBegun };
  }

  test("begin in the same iteration of the event loop if their first bytes bring little", () => {
    const { open, begun } = start();
    for (let n = 0; n < 4; n++) open("192.0.2.1");
    expect(begun).toHaveLength(4);
  });

  test("wait while the first bytes of one bring much, and other addresses go first", async () => {
    const { open, begun, untilBegun } = start();
    for (let n = 0; n < 3; n++) open("192.0.2.1", many);
    open("192.0.2.2");
    expect(begun).toEqual(["192.0.2.1"]);
    await untilBegun(4);
    expect(begun.indexOf("192.0.2.2")).toBeLessThan(3);
  });

  test("wait in an iteration in which connections were read that brought much", async () => {
    const scheduler = newScheduler();
    bring(add(scheduler).count, 1_000);
    const { open, begun, untilBegun } = start(scheduler);
    open("192.0.2.2");
    expect(begun).toEqual([]);
    await untilBegun(1);
  });

  test("with many first bytes wait after a long iteration", async () => {
    const scheduler = newScheduler();
    add(scheduler);
    busyMs += 50;
    await nextIteration();
    const begin = performance.now();
    const { open, begun, untilBegun } = start(scheduler);
    open("192.0.2.1", many);
    open("192.0.2.2");
    expect(begun).toEqual(["192.0.2.2"]);
    await untilBegun(2);
    expect(performance.now() - begin).toBeGreaterThan(40);
  });

  test("with many first bytes rest for as long as the work of the last one took after it began", async () => {
    const scheduler = newScheduler();
    const begunAt: number[] = [];
    for (const remoteAddress of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) {
      const socket = { remoteAddress, readableLength: many, destroyed: false };
      scheduler.begin(socket as unknown as Socket, () => {
        begunAt.push(performance.now());
        add(scheduler);
        process.nextTick(() => {
          busyMs += 30;
        });
      });
    }
    await expect.poll(() => begunAt).toHaveLength(3);
    const [first = 0, second = 0, third = 0] = begunAt;
    expect(Math.min(second - first, third - second)).toBeGreaterThan(25);
  });

  test("are not read while they wait, so that they bring no more than their turn is for", async () => {
    const scheduler = newScheduler();
    bring(add(scheduler).count, 1_000);
    const begun: boolean[] = [];
    const socket = Object.assign(fakeSocket(), { readableLength: few, destroyed: false });
    scheduler.begin(socket as unknown as Socket, () => begun.push(socket.isRead));
    expect(socket.isRead).toBe(false);
    await expect.poll(() => begun).toEqual([true]);
  });

  test("of an address with few of them do not wait for floods of many addresses", async () => {
    const { open, begun, untilBegun } = start();
    const flood = Array.from({ length: 20 }, (_, n) => `192.0.2.${n}`);
    for (let n = 0; n < 3; n++) for (const address of flood) open(address, many);
    await untilBegun(25);
    const before = begun.length;
    open("198.51.100.1");
    await untilBegun(before + 2);
    expect(begun.slice(before, before + 2)).toContain("198.51.100.1");
  });

  test("that have closed in the meantime do not begin", async () => {
    const { open, begun, untilBegun } = start();
    open("192.0.2.1", many);
    open("192.0.2.2", many).destroyed = true;
    open("192.0.2.3", many);
    await untilBegun(2);
    expect(begun).not.toContain("192.0.2.2");
  });
});
