import type { Socket } from "node:net";
import { handleOf, type SocketHandle } from "./socket-handle.ts";

/** Requests in an event-loop iteration after which its end is watched. */
const watchedFrom = 32;
/** Requests in an event-loop iteration after which no other connection is read in it: a few ms of work. */
const leastBudget = 200;
/** Stopping a connection costs about a hundredth of a request: for each request stop at most this many. */
const stoppedPerRequest = 8;
/** Requests that one read may bring without waiting for its turn. */
const cheapRead = 4;
/** Requests that the first read of a connection is expected to bring. */
const unknownRead = 100;

/** A connection that takes turns with the others. */
interface Turn {
  readonly handle: SocketHandle;
  /** Requests of the last iteration in which the connection brought any: its next read may bring as many. */
  requests: number;
  /** The number of that iteration. */
  iteration: number;
  isStopped: boolean;
  /** The iteration in which reading was started again: the connection's turn. */
  startedIn: number;
}

/** Takes turns in reading connections, so that a few busy ones do not block all others. */
export interface ReadingTurns {
  /**
   * Makes a connection take turns until it is closed.
   *
   * @returns a function to be called for each request that the connection brings
   */
  add(socket: Socket): () => void;
}

/**
 * One read of an HTTP/2 connection can bring a thousand requests, which node passes on at once, and libuv reads every
 * connection that has something before anything else happens. A hundred such connections block the process for
 * seconds, and the objects of all their requests live until then: half a gigabyte.
 *
 * Here an event-loop iteration has a budget of requests. When it is used up, no other connection is read before the
 * next iteration. Then all connections whose reads bring few requests are read first. Of the others, as many are read
 * as fit into the budget, and the rest in later iterations.
 *
 * node's HTTP/2 sessions read from the handle of a socket, past the socket itself, so that pausing the socket has no
 * effect. Therefore the handle is stopped and started.
 */
export function createReadingTurns(): ReadingTurns {
  const turns = new Set<Turn>();
  let waiting = new Set<Turn>();
  let iteration = 0;
  let requests = 0;
  let isWatched = false;
  /** Whether the budget of the iteration is used up. */
  let isFull = false;

  const budget = () => Math.max(leastBudget, turns.size / stoppedPerRequest);

  function count(turn: Turn): void {
    requests += 1;
    if (turn.iteration !== iteration) {
      turn.iteration = iteration;
      turn.requests = 0;
    }
    turn.requests += 1;
    if (requests < watchedFrom) return;
    watch();
    // node starts to read again by itself after it has written.
    if (turn.isStopped) turn.handle.readStop();
    if (!isFull && requests >= budget()) stopAll();
  }

  function watch(): void {
    if (isWatched) return;
    isWatched = true;
    setImmediate(endIteration);
  }

  function stopAll(): void {
    isFull = true;
    for (const turn of turns) {
      if (!turn.isStopped && turn.startedIn !== iteration) stop(turn);
    }
  }

  function endIteration(): void {
    isWatched = false;
    isFull = false;
    iteration += 1;
    requests = 0;
    if (waiting.size === 0) return;
    const queue = waiting;
    waiting = new Set();
    let left = budget();
    for (const turn of queue) {
      if (turn.requests <= cheapRead) {
        start(turn);
      } else if (left > 0) {
        left -= turn.requests;
        start(turn);
      } else {
        waiting.add(turn);
      }
    }
    watch();
  }

  function stop(turn: Turn): void {
    turn.isStopped = true;
    turn.handle.readStop();
    waiting.add(turn);
  }

  function start(turn: Turn): void {
    turn.isStopped = false;
    turn.startedIn = iteration;
    turn.handle.readStart();
  }

  return {
    add(socket) {
      const handle = handleOf(socket);
      if (!handle) return () => {};
      const turn = {
        handle,
        requests: unknownRead,
        iteration: -1,
        isStopped: false,
        startedIn: -1,
      };
      turns.add(turn);
      if (isFull) stop(turn);
      socket.once("close", () => {
        turns.delete(turn);
        waiting.delete(turn);
      });
      return () => count(turn);
    },
  };
}
