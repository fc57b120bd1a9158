import type { Socket } from "node:net";
import { handleOf, type SocketHandle } from "./socket-handle.ts";

/**
 * Work of a connection in an event-loop tick up to which it is read again in that tick. Stopping and starting costs two
 * system calls.
 */
const freeWork = 32;
/** Work in an event-loop tick after which no other connection is read: a few milliseconds. */
const minBudget = 100;
/** Most connections that are stopped for each unit of work. Stopping one costs about a hundredth of a unit. */
const stoppedPerUnit = 8;
/**
 * Work in an event-loop tick, in budgets, after which connections that were started again in this tick wait, too. Their
 * reads bring far more than their earlier ones.
 */
const surprisingBudgets = 3;
/** Most work of a read that does not count against the budget of the next tick. */
const cheapRead = 4;

/** Expected work of a connection's first read. */
const firstRead = 100;

/** The state of a connection. */
interface Connection {
  readonly handle: SocketHandle;
  /** Work in the last tick in which the connection had any. Its next read may have as much. */
  work: number;
  /** The number of that tick. */
  tick: number;
  isStopped: boolean;
  /** Whether it must not be read for now if its reads bring much work. */
  readonly mustWait: () => boolean;
  /** The tick in which reading was started again. */
  startedIn: number;
}

/** Decides which connections are read, so that a few busy ones do not block all others. */
export interface ReadScheduler {
  /**
   * Schedules the reads of a connection until it is closed.
   *
   * @param mustWait whether the connection must not be read for now if its reads bring much work
   * @returns a function to be called for each piece of work of the connection, with its size: 1 for a request
   */
  add(socket: Socket, mustWait?: () => boolean): (work: number) => void;
}

/**
 * Creates a scheduler.
 *
 * One read of an HTTP/2 connection can bring a thousand requests, which node reports at once. libuv reads all readable
 * connections before it does anything else. A hundred busy connections would block the process for seconds, with half a
 * gigabyte of requests in memory. A body in tiny pieces takes as long.
 *
 * Here, an event-loop tick has a budget of work. When it is used up, no other connection is read in this tick. A
 * connection whose read brings much work is read once in a tick. In the next tick, connections whose reads bring little
 * work are all read. Of the others, as many are read as the budget allows. The rest wait for later ticks. All of them
 * wait when these reads bring much more work than expected.
 *
 * Node's HTTP/2 sessions read from the handle of a socket directly, so pausing the socket has no effect. Therefore the
 * scheduler stops and starts the handle.
 */
export function createReadScheduler(): ReadScheduler {
  const connections = new Set<Connection>();
  let waiting = new Set<Connection>();
  let tick = 0;
  let used = 0;
  let isWatched = false;
  /** Whether the budget of the tick is used up. */
  let isFull = false;
  /** Whether the tick has had so much work that no connection is read any more. */
  let isOver = false;

  const budget = () => Math.max(minBudget, connections.size / stoppedPerUnit);

  function count(connection: Connection, work: number): void {
    if (!isWatched) watch();
    if (connection.tick !== tick) {
      connection.tick = tick;
      connection.work = 0;
    }
    connection.work += work;
    used += work;
    // Node starts the handle again after each write.
    if (connection.isStopped) connection.handle.readStop();
    // libuv would go on with up to 31 more reads of this connection.
    else if (connection.work > freeWork) stop(connection);
    if (!isFull && used >= budget()) stopAll();
    if (!isOver && used >= surprisingBudgets * budget()) stopStarted();
  }

  function watch(): void {
    isWatched = true;
    setImmediate(endTick);
  }

  function stopAll(): void {
    isFull = true;
    for (const connection of connections) {
      if (!connection.isStopped && connection.startedIn !== tick) stop(connection);
    }
  }

  /** Stops connections that were started in this tick. Those that were not read keep their turn. */
  function stopStarted(): void {
    isOver = true;
    const later = waiting;
    waiting = new Set();
    for (const connection of connections) {
      if (!connection.isStopped) stop(connection);
    }
    for (const connection of later) waiting.add(connection);
  }

  function endTick(): void {
    isWatched = false;
    isFull = false;
    isOver = false;
    tick += 1;
    used = 0;
    if (waiting.size === 0) return;
    const queue = waiting;
    waiting = new Set();
    let left = budget();
    for (const connection of queue) {
      if (connection.work <= cheapRead) {
        start(connection);
      } else if (left > 0 && !connection.mustWait()) {
        left -= connection.work;
        start(connection);
      } else {
        waiting.add(connection);
      }
    }
    watch();
  }

  function stop(connection: Connection): void {
    connection.isStopped = true;
    connection.handle.readStop();
    waiting.add(connection);
  }

  function start(connection: Connection): void {
    connection.isStopped = false;
    connection.startedIn = tick;
    connection.handle.readStart();
  }

  return {
    add(socket, mustWait = () => false) {
      const handle = handleOf(socket);
      if (!handle) return () => {};
      const connection = {
        handle,
        work: firstRead,
        tick: -1,
        isStopped: false,
        mustWait,
        startedIn: -1,
      };
      connections.add(connection);
      if (isFull) stop(connection);
      socket.once("close", () => {
        connections.delete(connection);
        waiting.delete(connection);
      });
      return (work) => count(connection, work);
    },
  };
}
