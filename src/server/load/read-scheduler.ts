import type { Socket } from "node:net";
import { addressGroup } from "../../access/client-address.ts";
import { handleOf, type SocketHandle, tcpSocketOf } from "../node-internals/socket-handle.ts";

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
const surprisingBudgets = 2;
/** Most work of a read that counts against a budget of its address only. */
const cheapRead = 4;
/** Most ticks without a read for which such a connection is expected to have more work. */
const maxMissed = 8;

/** Expected work of a connection's first read. */
const firstRead = 100;

/** Bytes of frames that nothing else counts that are as much work as a request. A frame has at least 9 bytes. */
const bytesOfWork = 512;
/** Busy time in an event-loop tick after which the bytes of all connections are looked at, in milliseconds. */
const longTickMs = 4;
/** Most event-loop ticks without a read of a busy connection after a long tick: one for each {@link longTickMs}. */
const maxRest = 16;

/** The connections of an address. */
interface Share {
  connections: number;
  /** Those of them that wait for the next tick, and whose reads bring much work. */
  busy: Connection[];
  /** Work that the others may bring in the next tick. */
  cheapWork: number;
  /** The number of the last turn of a busy one. Grows with each turn. */
  turn: number;
}

/** The state of a connection. */
interface Connection {
  readonly handle: SocketHandle;
  /** The handle of the TCP connection, which counts the bytes. */
  readonly tcp: SocketHandle;
  readonly share: Share;
  /** Work in the last tick in which the connection had any. */
  work: number;
  /** Most work in earlier ticks, halved with each later one. */
  earlier: number;
  /** The number of that tick. */
  tick: number;
  isStopped: boolean;
  /** The ticks in which reading was last stopped, and started again. */
  stoppedIn: number;
  startedIn: number;
  /** Bytes read that have been counted, as a part of other work or by themselves. */
  countedBytes: number;
  readonly options: ReadOptions;
}

export interface ReadOptions {
  /** Returns whether the connection must not be read for now if its reads bring much work. */
  readonly mustWait?: () => boolean;
  /** Called with the number of bytes that were read but are no part of any counted work. Must not throw. */
  readonly onOtherBytes?: (bytes: number) => void;
}

/**
 * Counts a piece of work of a connection.
 *
 * @param work its size: 1 for a request
 * @param bytes the bytes that were read for it
 */
export type CountWork = (work: number, bytes: number) => void;

/** Decides which connections are read, so that a few busy ones do not block all others. */
export type ReadScheduler = ReturnType<typeof createReadScheduler>;

/**
 * Creates a scheduler.
 *
 * One read of an HTTP/2 connection can bring a thousand requests, which node reports at once. libuv reads all readable
 * connections before it does anything else. A hundred busy connections would block the process for seconds, with half a
 * gigabyte of requests in memory. A body in tiny pieces takes as long. So do frames that node does not report, such as
 * WINDOW_UPDATE. Only the number of bytes shows them, which is looked at when a tick was long.
 *
 * Here, an event-loop tick has a budget of work. When it is used up, no other connection is read in this tick. A
 * connection whose read brings much work is read once in a tick. In the next tick, connections whose reads bring little
 * work are all read, unless those of one address together exceed the budget. Of the others, as many are read as the
 * budget allows, of each address in turn. The rest wait for later ticks. All of them wait when these reads bring much
 * more work than expected, and after a long tick, whose requests still have to be served.
 *
 * Node's HTTP/2 sessions read from the handle of a socket directly, so pausing the socket has no effect. Therefore the
 * scheduler stops and starts the handle.
 *
 * @param busyTime returns the time in which the event loop was not idle, in milliseconds
 */
export function createReadScheduler(busyTime = timeNotIdle) {
  const connections = new Set<Connection>();
  const shares = new Map<string, Share>();
  let waiting = new Set<Connection>();
  /** Connections that were started in this tick. */
  let started: Connection[] = [];
  let tick = 0;
  let turns = 0;
  let used = 0;
  /** Whether the budget of the tick is used up. */
  let isFull = false;
  /** Whether the tick has had so much work that no connection is read any more. */
  let isOver = false;
  /** Runs at the end of each event-loop tick while there are connections. */
  let end: NodeJS.Immediate | undefined;
  /** Event-loop ticks until busy connections are read again, so that the work that they have brought is done first. */
  let rest = 0;
  let tickBegan = busyTime();

  const budget = () => Math.max(minBudget, connections.size / stoppedPerUnit);

  function count(connection: Connection, work: number, bytes: number): void {
    connection.countedBytes += bytes;
    addWork(connection, work);
    used += work;
    // Node starts the handle again after each write.
    if (connection.isStopped) connection.handle.readStop();
    // libuv would go on with up to 31 more reads of this connection.
    else if (connection.work > freeWork) stop(connection);
    if (!isFull && used >= budget()) stopAll();
    if (!isOver && used >= surprisingBudgets * budget()) stopStarted();
  }

  function addWork(connection: Connection, work: number): void {
    if (connection.tick !== tick) {
      connection.tick = tick;
      connection.earlier = Math.max(connection.earlier, connection.work) / 2;
      connection.work = 0;
    }
    connection.work += work;
  }

  function stopAll(): void {
    isFull = true;
    for (const connection of connections) {
      if (!connection.isStopped && connection.startedIn !== tick) stop(connection);
    }
  }

  /** Stops connections that were started in this tick. Busy ones that were not read keep their turn. */
  function stopStarted(): void {
    isOver = true;
    const later = waiting;
    waiting = new Set();
    for (const connection of started) {
      const isBusy = expectedWork(connection) > cheapRead;
      if (isBusy && !connection.isStopped && connection.tick !== tick) stop(connection);
    }
    for (const connection of later) waiting.add(connection);
    for (const connection of connections) {
      if (!connection.isStopped) stop(connection);
    }
  }

  function endTick(): void {
    const now = busyTime();
    const lengths = Math.floor((now - tickBegan) / longTickMs);
    tickBegan = now;
    for (const connection of lengths > 0 ? connections : started) lookAtBytes(connection);
    rest = rest > 0 ? rest - 1 : Math.min(lengths, maxRest);
    isFull = false;
    isOver = false;
    tick += 1;
    used = 0;
    started = [];
    if (waiting.size > 0) startWaiting();
    end = connections.size > 0 ? atEndOfTick() : undefined;
    // The event loop must not spin when nothing waits.
    if (waiting.size === 0) end?.unref();
  }

  const atEndOfTick = () => setImmediate(endTick);

  function startWaiting(): void {
    const queue = waiting;
    waiting = new Set();
    const busy = new Set<Share>();
    for (const connection of queue) {
      const { share, stoppedIn } = connection;
      const work = expectedWork(connection);
      if (work > cheapRead) {
        share.busy.push(connection);
        busy.add(share);
      } else if (share.cheapWork < budget()) {
        // The client may have sent as much in each tick in which it was not read.
        share.cheapWork += Math.max(1, work) * Math.min(tick - stoppedIn, maxMissed);
        start(connection);
      } else {
        waiting.add(connection);
      }
    }
    if (rest === 0) startBusy([...busy].toSorted((a, b) => a.turn - b.turn));
    for (const { share } of queue) {
      for (const connection of share.busy) waiting.add(connection);
      share.busy = [];
      share.cheapWork = 0;
    }
  }

  /** Starts one connection of each address, and again until the budget is used up. */
  function startBusy(shares: readonly Share[]): void {
    let left = budget();
    let candidates = shares;
    while (candidates.length > 0) {
      for (const share of candidates) {
        if (left <= 0) return;
        const next = share.busy.findIndex(isReady);
        const [connection] = next < 0 ? [] : share.busy.splice(next, 1);
        if (!connection) continue;
        left -= expectedWork(connection);
        share.turn = turns++;
        start(connection);
      }
      candidates = candidates.filter(({ busy }) => busy.some(isReady));
    }
  }

  /** Counts what was read and is no part of other work. */
  function lookAtBytes(connection: Connection): void {
    const { bytesRead } = connection.tcp;
    const bytes = bytesRead - connection.countedBytes;
    connection.countedBytes = bytesRead;
    if (bytes < bytesOfWork) return;
    addWork(connection, bytes / bytesOfWork);
    connection.options.onOtherBytes?.(bytes);
    if (!connection.isStopped && connection.work > freeWork) stop(connection);
  }

  function stop(connection: Connection): void {
    connection.isStopped = true;
    connection.stoppedIn = tick;
    connection.handle.readStop();
    waiting.add(connection);
    end?.ref();
  }

  function start(connection: Connection): void {
    connection.isStopped = false;
    connection.startedIn = tick;
    connection.handle.readStart();
    started.push(connection);
  }

  return {
    /**
     * Schedules the reads of a connection until it is closed.
     *
     * @returns a function to be called for each piece of work of the connection
     */
    add(socket: Socket, options: ReadOptions = {}): CountWork {
      const handle = handleOf(socket);
      const tcp = handleOf(tcpSocketOf(socket));
      if (!handle || !tcp) return () => {};
      const address = addressGroup(socket.remoteAddress);
      const share = shares.getOrInsertComputed(address, newShare);
      share.connections += 1;
      const connection = {
        handle,
        tcp,
        share,
        work: firstRead,
        earlier: 0,
        tick: -1,
        isStopped: false,
        stoppedIn: -1,
        startedIn: -1,
        countedBytes: tcp.bytesRead,
        options,
      };
      connections.add(connection);
      end ??= atEndOfTick().unref();
      if (isFull) stop(connection);
      socket.once("close", () => {
        connections.delete(connection);
        waiting.delete(connection);
        share.connections -= 1;
        if (share.connections === 0) shares.delete(address);
      });
      return (work, bytes) => count(connection, work, bytes);
    },
  };
}

function timeNotIdle(): number {
  return performance.now() - performance.nodeTiming.idleTime;
}

function isReady({ options }: Connection): boolean {
  return options.mustWait?.() !== true;
}

/** Returns the work that the next read of a connection may bring. */
function expectedWork({ work, earlier }: Connection): number {
  return Math.max(work, earlier);
}

function newShare(): Share {
  return { connections: 0, busy: [], cheapWork: 0, turn: -1 };
}
