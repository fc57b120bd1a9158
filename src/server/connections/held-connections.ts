import type { Socket } from "node:net";
import type { Backlog } from "../load/backlog.ts";

/** Smallest backlog at which connections are held, in milliseconds of work. It is enough to keep the process busy. */
const heldFromMs = 25;
/** Longest time that a connection is held, in milliseconds. */
const maxHeldMs = 250;
/** Smallest backlog at which connections are held, in requests. */
const minBacklog = 128;

/** Idle connections that the process does not read for a while. */
export type HeldConnections = ReturnType<typeof createHeldConnections>;

/** Tells clients apart, so that a busy one does not hold up the others. */
export interface HeldClients {
  /** Returns the client of a connection; undefined when it is not known, such as that of a proxy. */
  clientOf(socket: Socket): string | undefined;
  /** Returns how many waiting requests are served before the next one of a client, when clients take turns. */
  turnsBefore(client: string): number;
}

/**
 * Leaves requests in the kernel's buffers for a while when the process is busy. This is cheaper than refusing them, and
 * a client that waits for its response sends no more. After a response, a connection joins the end of its client's
 * queue and is read when it reaches the front and the backlog has become smaller. A client whose requests would not
 * wait long is never held. The queues hold as many connections as the process can serve in {@link maxHeldMs}. Beyond
 * that, connections are read at once, and their requests are refused.
 */
export function createHeldConnections(backlog: Backlog, clients: HeldClients) {
  let held = new Map<string | undefined, Set<Socket>>();
  let count = 0;
  let isScheduled = false;
  let isStopped = false;

  const limit = () =>
    backlog.isBusy ? Math.max(minBacklog, backlog.perMs * heldFromMs) : Number.POSITIVE_INFINITY;

  const isLight = (client: string | undefined) =>
    client !== undefined && clients.turnsBefore(client) < limit();

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(release);
  }

  function release(): void {
    isScheduled = false;
    let free = limit() - backlog.count;
    for (const [client, sockets] of [...held]) {
      const isReleased = isLight(client);
      for (const socket of sockets) {
        if (!isReleased && free <= 0) break;
        free -= 1;
        remove(client, sockets, socket);
        socket.resume();
      }
      // Next time, another client comes first.
      if (held.delete(client) && sockets.size > 0) held.set(client, sockets);
    }
    // If a released connection has no request to read, no decision will call this function again.
    if (count > 0 && free > 0) schedule();
  }

  function remove(client: string | undefined, sockets: Set<Socket>, socket: Socket): void {
    if (!sockets.delete(socket)) return;
    count -= 1;
    if (sockets.size === 0) held.delete(client);
  }

  backlog.whenDecided(() => {
    if (count > 0) schedule();
  });

  return {
    /** Call it when a connection has no open request any more. */
    idle(socket: Socket): void {
      if (isStopped || socket.destroyed) return;
      if (count === 0 && backlog.count < limit()) return;
      if (count >= backlog.perMs * maxHeldMs) return;
      const client = clients.clientOf(socket);
      if (isLight(client)) return;
      socket.pause();
      held.getOrInsertComputed(client, () => new Set()).add(socket);
      count += 1;
      schedule();
    },
    /** Call it when a connection is closed. */
    closed(socket: Socket): void {
      if (count === 0) return;
      const client = clients.clientOf(socket);
      const sockets = held.get(client);
      if (sockets) remove(client, sockets, socket);
    },
    /** Resumes reading from all connections. From then on, no connection is held. */
    stop(): void {
      isStopped = true;
      const all = [...held.values()];
      held = new Map();
      count = 0;
      for (const sockets of all) for (const socket of sockets) socket.resume();
    },
  };
}
