import type { Socket } from "node:net";
import type { Backlog } from "./backlog.ts";

/** Backlog from which on connections are held, in milliseconds of work: enough that it never runs out. */
const heldFromMs = 25;
/** How long a connection is held at most, in milliseconds. */
const maxHeldMs = 250;
/** Least backlog that connections are held at. */
const minBacklog = 128;

/** Connections whose next request is not read yet. */
export interface HeldConnections {
  /** To be called when a connection has no request under way any more. */
  idle(socket: Socket): void;
  /** To be called when a connection is closed. */
  closed(socket: Socket): void;
  /** Reads all again, for good. */
  stop(): void;
}

/**
 * Leaves requests in the kernel's buffers for a while when the process has enough to do: that is cheaper than
 * to refuse them, and a client that waits for its response sends no more. After a response a connection joins
 * the end of a queue, and is read when it comes to its turn. The queue is as long as it can be worked off in
 * {@link maxHeldMs}; beyond that connections are read at once, and their requests refused.
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
    // Those that were released may have no request to read. Otherwise the end of one continues.
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
