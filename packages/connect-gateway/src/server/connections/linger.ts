import type { Socket } from "node:net";
import { type ReadTimeout, setReadTimeout } from "../../call/read-timeout.ts";
import { onLastResponse, takeBytesForGood } from "../node-internals/http1-parser.ts";

/** How long a lingering connection stays open without data from the client, in milliseconds. */
const idleMs = 2_000;
/** How long a connection may linger in total, in milliseconds. */
const totalMs = 10_000;
/** How long a connection may linger while the server shuts down, in milliseconds. */
const drainMs = 1_000;
/** Most bytes that are read and discarded from one connection. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Closes the connections of one listener in two steps (RFC 9112, section 9.6): the server ends its own side, then reads and discards
 * until the client ends its side too. Closing at once would reset the connection while the client still sends, and the
 * client could lose the response. Time and bytes are limited.
 */
export class LingeringClose {
  readonly #limits = new Set<LimitDiscarding>();
  #isDraining = false;

  /** Makes every orderly close of a socket linger, including those by node's own servers. */
  watch(socket: Socket): void {
    onLastResponse(socket, () => {
      discard(socket);
      socket.end();
    });
    socket.once("finish", () => {
      // Otherwise the client has ended its side already, and node closes the connection.
      if (!socket.readableEnded) this.#begin(socket);
    });
  }

  close(socket: Socket, lastBytes: string): void {
    socket.end(lastBytes, "latin1");
    this.#begin(socket);
  }

  /** Shortens the time for all connections, so that they do not delay a shutdown. */
  drain(): void {
    this.#isDraining = true;
    for (const limit of this.#limits) limit(drainMs, drainMs);
  }

  #begin(socket: Socket): void {
    const limit = discard(socket);
    const limits = this.#limits;
    if (socket.destroyed || limits.has(limit)) return;
    limits.add(limit);
    socket.once("close", () => limits.delete(limit));
    if (this.#isDraining) limit(drainMs, drainMs);
    else limit(idleMs, totalMs);
  }
}

/** Destroys a connection whose data is discarded after `idle` ms without data, and at the first data after `total` ms. */
type LimitDiscarding = (idle: number, total: number) => void;

const discardingSockets = new WeakMap<Socket, LimitDiscarding>();

/** Takes the data of a connection from its reader and discards it. Destroys the connection after {@link maxBytes}. */
function discard(socket: Socket): LimitDiscarding {
  const known = discardingSockets.get(socket);
  if (known !== undefined) return known;
  let left = maxBytes;
  let end = Number.POSITIVE_INFINITY;
  let timeout: ReadTimeout | undefined;
  const destroy = () => void socket.destroy();
  const limit: LimitDiscarding = (idle, total) => {
    timeout?.cancel();
    timeout = setReadTimeout(destroy, idle);
    end = performance.now() + total;
  };
  discardingSockets.set(socket, limit);
  socket.once("close", () => timeout?.cancel());
  takeBytesForGood(socket, (chunk) => {
    left -= chunk.length;
    timeout?.refresh();
    if (left < 0 || performance.now() > end) destroy();
  });
  return limit;
}
