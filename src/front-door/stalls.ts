import type { Socket } from "node:net";
import type { Http2Response } from "../http/http2-exchange.ts";

/** How often stalled connections are looked for: so many times in the time-out for sending. */
const checksInTimeout = 8;
/** And this often at least, in ms. */
const longestCheckMs = 5_000;

/** A count of sent bytes, and for how long it has been the same, in ms. */
interface Standstill {
  readonly sent: number;
  readonly forMs: number;
}

/**
 * Returns the time between two looks of a stall detector.
 *
 * @param timeoutMs how long nothing may be sent, in ms
 */
export function stallCheckMs(timeoutMs: number): number {
  return Math.min(timeoutMs / checksInTimeout, longestCheckMs);
}

/** Finds senders, such as connections, that have sent nothing for too long. Call it at regular intervals. */
export interface StallDetector<T> {
  /**
   * Checks all senders.
   *
   * @param sent returns the total bytes that a sender has sent; undefined when it has nothing to send
   * @returns senders that have bytes to send and sent none of them for the time-out
   */
  look(things: Iterable<T>, sent: (thing: T) => number | undefined): T[];
}

/**
 * Makes a detector. A busy or suspended process looks late, and has not sent in the meantime what its clients would
 * have taken. So of the time between two looks, at most twice {@link stallCheckMs} counts.
 *
 * @param timeoutMs how long nothing may be sent, in ms
 */
export function createStallDetector<T>(timeoutMs: number): StallDetector<T> {
  const longestMs = 2 * stallCheckMs(timeoutMs);
  let known = new Map<T, Standstill>();
  let lookedAt = performance.now();
  return {
    look(things, sentBy) {
      const now = performance.now();
      const elapsedMs = Math.min(now - lookedAt, longestMs);
      lookedAt = now;
      const seen = new Map<T, Standstill>();
      const stalled: T[] = [];
      for (const thing of things) {
        const sent = sentBy(thing);
        if (sent === undefined) continue;
        const before = known.get(thing);
        const forMs = before?.sent === sent ? before.forMs + elapsedMs : 0;
        if (forMs >= timeoutMs) stalled.push(thing);
        else seen.set(thing, { sent, forMs });
      }
      known = seen;
      return stalled;
    },
  };
}

/** A TCP handle of node's, which is not documented: it alone knows how much of a write the kernel has taken. */
interface TcpHandle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}

/** How many bytes the kernel has taken of a connection's; undefined when none are waiting. */
export function sentByConnection(
  socket: Socket & { _handle?: TcpHandle | null },
): number | undefined {
  const { _handle: handle, writableLength } = socket;
  const waiting = handle?.writeQueueSize ?? writableLength;
  return waiting > 0 ? (handle?.bytesWritten ?? socket.bytesWritten) - waiting : undefined;
}

/** How many bytes of a response its HTTP/2 stream has sent; undefined when none are waiting. */
export function sentByStream({ stream, bytesWritten }: Http2Response): number | undefined {
  const { writableLength } = stream;
  return writableLength > 0 ? bytesWritten - writableLength : undefined;
}

/**
 * Ends a connection by a reset, so that the kernel frees what it holds for the client at once. After an
 * ordinary close it would go on trying to send that for minutes.
 *
 * @param socket of TCP
 */
export function resetConnection(socket: Socket): void {
  // Not while the connection is shut down, where the kernel does not allow a reset.
  const isShuttingDown =
    socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
  if (isShuttingDown) socket.destroy();
  else socket.resetAndDestroy();
}
