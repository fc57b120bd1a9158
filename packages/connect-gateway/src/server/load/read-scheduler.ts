import type { Socket } from "node:net";
import { addressGroup } from "../../http/client-address.ts";
import { tcpSocketOf } from "../../http/exchange/tcp-socket.ts";
import { TickBudget } from "../../http/tick-budget.ts";
import { handleOf, type SocketHandle } from "../node-internals/socket-handle.ts";

/** Work of a connection in an event-loop tick up to which it is read again in that tick. */
const freeWork = 32;
/** Work in an event-loop tick after which no connection is read any more: a few milliseconds. */
const minBudget = 100;
/** Connections for each further unit of this budget: stopping one costs about a hundredth of a unit. */
const stoppedPerUnit = 8;
/** Most work of a read that hardly counts when connections take turns, because most of their reads bring nothing. */
const cheapRead = 4;
const cheapSteps = 1 / 8;
/** The work of a request over HTTP/2, in units of a short request: node makes an object for its stream. */
const stepsOfWork = 2;
/** Expected work of a connection's first read. */
const firstRead = 100;
/** Bytes of frames that nothing else counts that are as much work as a request. A frame has at least 9 bytes. */
const bytesOfWork = 512;
/** The fewest bytes of a request over HTTP/2: a frame whose headers are indexed. */
const bytesOfRequest = 16;
/** First bytes of a connection that may bring so much work that it waits after a long tick. */
const largeBytes = 1024;
/** Length of an event-loop tick after which busy connections rest and the bytes of all are looked at, in milliseconds. */
const longTickMs = 4;
/** Longest rest, in milliseconds: a tick also looks long after the process was stopped for a while (SIGSTOP). */
const longestRestMs = 1_000;

interface Connection {
  readonly socket: Socket;
  readonly handle: SocketHandle;
  readonly address: string;
  readonly onOtherBytes: (bytes: number) => void;
  /** Work in the last tick in which the connection had any, and the number of that tick. */
  work: number;
  tick: number;
  /** Most work in earlier ticks, halved with each later one. */
  earlier: number;
  isStopped: boolean;
  /** Bytes read that have been counted, as a part of other work or by themselves. */
  countedBytes: number;
}

/** Counts a piece of work of a connection. @param work 1 for a request @param bytes the bytes that were read for it */
export type CountWork = (work: number, bytes: number) => void;

export interface ReadScheduler {
  /**
   * Begins a connection, now or in a later event-loop tick, unless it is closed by then. The bytes that its client has sent before
   * then are processed at once, and can be hundreds of requests. @param begin must not throw
   */
  begin(socket: Socket, begin: () => void): void;
  /**
   * Schedules the reads of a connection until it is closed.
   *
   * @param onOtherBytes called with the number of bytes that are no part of any counted work. Must not throw
   * @returns a function to be called for each piece of work of the connection
   */
  add(socket: Socket, onOtherBytes?: (bytes: number) => void): CountWork;
}

/**
 * Creates a scheduler of reads, so that a few busy connections do not block all others.
 *
 * One read of an HTTP/2 connection can bring a thousand requests, and libuv reads all readable connections before it does
 * anything else. Here, a connection whose read brings much work is read once in an event-loop tick. When a tick has had
 * enough work, no other connection is read in it. All of them wait for their turn, and addresses whose reads brought the
 * least work lately go first.
 *
 * Node's HTTP/2 sessions read from the handle of a socket directly, so pausing the socket has no effect. Therefore the
 * scheduler stops and starts the handle.
 *
 * @param busyTime returns the time in which the event loop was not idle, in milliseconds
 */
export function createReadScheduler(busyTime = timeNotIdle): ReadScheduler {
  const turns = new TickBudget("connections");
  const connections = new Set<Connection>();
  /** Connections that were started for this tick. */
  let started: Connection[] = [];
  let tick = 0;
  let used = 0;
  let isFull = false;
  /** Whether `endTick` is scheduled. */
  let isEnding = false;
  let tickBegan = busyTime();
  /** After a long tick, busy connections are not read for as long, so that the work that they brought is done first. */
  let restUntil = 0;

  function count(connection: Connection, work: number, bytes: number): void {
    connection.countedBytes += bytes;
    addWork(connection, tick, work);
    used += work;
    // Node starts the handle again after each write.
    if (connection.isStopped) connection.handle.readStop();
    // libuv would go on with up to 31 more reads of this connection.
    else if (connection.work > freeWork) stop(connection);
    if (isFull || used < Math.max(minBudget, connections.size / stoppedPerUnit)) return;
    isFull = true;
    // Those that were not read in this tick have their turn before the others.
    for (const each of connections) if (!each.isStopped && each.tick !== tick) stop(each);
    for (const each of connections) if (!each.isStopped) stop(each);
  }

  function stop(connection: Connection): void {
    const { socket, handle, address, work, earlier } = connection;
    connection.isStopped = true;
    handle.readStop();
    const expected = Math.max(work, earlier);
    const isBusy = expected > cheapRead;
    const start = () => {
      if (!connections.has(connection)) return true;
      if (isBusy && performance.now() < restUntil) return false;
      connection.isStopped = false;
      handle.readStart();
      started.push(connection);
      return true;
    };
    if (isBusy) turns.defer(address, start, stepsOfWork * expected, socket);
    // Of the same address, too, connections whose reads bring much do not hold up the others.
    else turns.defer(`${address} cheap`, start, cheapSteps, socket);
  }

  function endTick(): void {
    isEnding = false;
    const now = busyTime();
    const length = now - tickBegan;
    tickBegan = now;
    if (length > longTickMs || restUntil === Number.POSITIVE_INFINITY) {
      restUntil = performance.now() + Math.min(length, longestRestMs);
    }
    for (const each of length > longTickMs ? connections : started) countBytes(each);
    tick += 1;
    used = 0;
    isFull = false;
    started = [];
    if (connections.size > 0) atEndOfTick();
  }

  function atEndOfTick(): void {
    if (isEnding) return;
    isEnding = true;
    // The event loop must not spin when nothing waits.
    setImmediate(endTick).unref();
  }

  /** Counts what was read and is no part of other work, such as WINDOW_UPDATE frames, which node does not report. */
  function countBytes(connection: Connection): void {
    const { bytesRead } = tcpSocketOf(connection.socket);
    const bytes = bytesRead - connection.countedBytes;
    connection.countedBytes = bytesRead;
    if (bytes < bytesOfWork) return;
    addWork(connection, tick, bytes / bytesOfWork);
    connection.onOtherBytes(bytes);
    if (!connection.isStopped && connection.work > freeWork) stop(connection);
  }

  return {
    begin(socket, begin) {
      const handle = handleOf(socket);
      const { readableLength } = socket;
      const isLarge = readableLength > largeBytes;
      const steps = 1 + readableLength / bytesOfRequest;
      const address = addressGroup(socket.remoteAddress);
      const mustRest = () => isLarge && performance.now() < restUntil;
      const beginInTurn = () => {
        if (mustRest()) return false;
        if (isLarge) {
          // Node processes the bytes after the return. The end of the tick sets the length of the rest.
          restUntil = Number.POSITIVE_INFINITY;
          atEndOfTick();
        }
        // Node has stopped a handle whose bytes fill its buffer. It aborts the connection if it finds it started.
        if (handle?.reading) handle.readStart();
        if (!socket.destroyed) begin();
        return true;
      };
      if (isFull || turns.isWaiting(address) || mustRest() || !turns.take(steps)) {
        // Otherwise it would bring more work than its turn is for.
        handle?.readStop();
        turns.defer(address, beginInTurn, steps);
      } else beginInTurn();
    },
    add(socket, onOtherBytes = () => {}) {
      const handle = handleOf(socket);
      if (!handle) return () => {};
      const connection: Connection = {
        socket,
        handle,
        address: addressGroup(socket.remoteAddress),
        onOtherBytes,
        work: firstRead,
        tick: -1,
        earlier: 0,
        isStopped: false,
        countedBytes: tcpSocketOf(socket).bytesRead,
      };
      if (connections.size === 0) atEndOfTick();
      connections.add(connection);
      if (isFull) stop(connection);
      socket.once("close", () => connections.delete(connection));
      return (work, bytes) => count(connection, work, bytes);
    },
  };
}

/** Counts work of a connection in an event-loop tick, by the tick's number. */
function addWork(connection: Connection, tick: number, work: number): void {
  if (connection.tick !== tick) {
    connection.tick = tick;
    connection.earlier = Math.max(connection.earlier, connection.work) / 2;
    connection.work = 0;
  }
  connection.work += work;
}

function timeNotIdle(): number {
  return performance.now() - performance.nodeTiming.idleTime;
}
