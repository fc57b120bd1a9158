import type { Socket } from "node:net";
import type { Http2Response } from "../http/http2-exchange.ts";

/** Number of checks during the send timeout. */
const checksInTimeout = 8;
/** Longest time between two checks, in milliseconds. */
const longestCheckMs = 5_000;

/** The progress of a sender: the bytes sent, and for how long this number has not changed, in milliseconds. */
interface Progress {
  readonly sent: number;
  readonly unchangedMs: number;
}

/**
 * Returns the time between two checks of a stall detector, in milliseconds.
 *
 * @param timeoutMs how long a sender may make no progress, in milliseconds
 */
export function stallCheckMs(timeoutMs: number): number {
  return Math.min(timeoutMs / checksInTimeout, longestCheckMs);
}

/** Finds senders, such as connections, that have made no progress for too long. */
export interface StallDetector<T> {
  /**
   * Checks all senders. Call it every {@link stallCheckMs}.
   *
   * @param sentBy returns the total number of bytes that a sender has sent; undefined when it has nothing to send
   * @returns the senders that had bytes to send but sent none during the timeout
   */
  findStalled(senders: Iterable<T>, sentBy: (sender: T) => number | undefined): T[];
}

/**
 * Creates a detector. Of the time between two checks, at most twice {@link stallCheckMs} counts. A longer time means
 * that the process was busy or suspended and sent nothing, which is not the fault of its clients.
 *
 * @param timeoutMs how long a sender may make no progress, in milliseconds
 */
export function createStallDetector<T>(timeoutMs: number): StallDetector<T> {
  const longestMs = 2 * stallCheckMs(timeoutMs);
  let known = new Map<T, Progress>();
  let checkedAt = performance.now();
  return {
    findStalled(senders, sentBy) {
      const now = performance.now();
      const elapsedMs = Math.min(now - checkedAt, longestMs);
      checkedAt = now;
      const seen = new Map<T, Progress>();
      const stalled: T[] = [];
      for (const sender of senders) {
        const sent = sentBy(sender);
        if (sent === undefined) continue;
        const before = known.get(sender);
        const unchangedMs = before?.sent === sent ? before.unchangedMs + elapsedMs : 0;
        if (unchangedMs >= timeoutMs) stalled.push(sender);
        else seen.set(sender, { sent, unchangedMs });
      }
      known = seen;
      return stalled;
    },
  };
}

/** Node's TCP handle, which is not documented. It alone knows how many bytes of a write the kernel has accepted. */
interface TcpHandle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}

/** Returns how many bytes of a connection the kernel has accepted; undefined when no bytes wait to be sent. */
export function sentByConnection(
  socket: Socket & { _handle?: TcpHandle | null },
): number | undefined {
  const { _handle: handle, writableLength } = socket;
  const waiting = handle?.writeQueueSize ?? writableLength;
  return waiting > 0 ? (handle?.bytesWritten ?? socket.bytesWritten) - waiting : undefined;
}

/** Returns how many bytes of a response its HTTP/2 stream has sent; undefined when no bytes wait to be sent. */
export function sentByStream({ stream, bytesWritten }: Http2Response): number | undefined {
  const { writableLength } = stream;
  return writableLength > 0 ? bytesWritten - writableLength : undefined;
}

/**
 * Resets a TCP connection, so that the kernel frees its unsent bytes at once. After an ordinary close, the kernel would
 * try to send them for minutes.
 */
export function resetConnection(socket: Socket): void {
  // While the connection shuts down, the kernel does not allow a reset.
  const isShuttingDown =
    socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
  if (isShuttingDown) socket.destroy();
  else socket.resetAndDestroy();
}
