import type { Socket } from "node:net";
import type { Backlog } from "./backlog.ts";

/** Smallest backlog at which connections are held, in milliseconds of work. It is enough to keep the process busy. */
const heldFromMs = 25;
/** Longest time that a connection is held, in milliseconds. */
const maxHeldMs = 250;
/** Smallest backlog at which connections are held, in requests. */
const minBacklog = 128;

/** Idle connections that the process does not read for a while. */
export interface HeldConnections {
  /** Call it when a connection has no open request any more. */
  idle(socket: Socket): void;
  /** Call it when a connection is closed. */
  closed(socket: Socket): void;
  /** Resumes reading from all connections. From then on, no connection is held. */
  stop(): void;
}

/**
 * Leaves requests in the kernel's buffers for a while when the process is busy. This is cheaper than refusing them, and
 * a client that waits for its response sends no more. After a response, a connection joins the end of a queue and is
 * read when it reaches the front. The queue holds as many connections as the process can serve in {@link maxHeldMs}.
 * Beyond that, connections are read at once, and their requests are refused.
 */
export function createHeldConnections(backlog: Backlog): HeldConnections {
  let held = new Set<Socket>();
  let isScheduled = false;
  let isStopped = false;

  const limit = () =>
    backlog.isBusy ? Math.max(minBacklog, backlog.perMs * heldFromMs) : Number.POSITIVE_INFINITY;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(release);
  }

  function release(): void {
    isScheduled = false;
    const free = limit() - backlog.count;
    let released = 0;
    for (const socket of held) {
      if (released >= free) break;
      released += 1;
      held.delete(socket);
      socket.resume();
    }
    // If a released connection has no request to read, no decision will call this function again.
    if (held.size > 0 && free > 0) schedule();
  }

  backlog.whenDecided(() => {
    if (held.size > 0) schedule();
  });

  return {
    idle(socket) {
      if (isStopped || socket.destroyed) return;
      if (held.size === 0 && backlog.count < limit()) return;
      if (held.size >= backlog.perMs * maxHeldMs) return;
      socket.pause();
      held.add(socket);
      schedule();
    },
    closed: (socket) => void held.delete(socket),
    stop() {
      isStopped = true;
      const all = held;
      held = new Set();
      for (const socket of all) socket.resume();
    },
  };
}
