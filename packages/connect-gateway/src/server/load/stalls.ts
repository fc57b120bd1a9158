import type { Socket } from "node:net";
import type { Http2Exchange } from "../../http/exchange/http2-exchange.ts";
import { handleOf } from "../node-internals/socket-handle.ts";

const checksInTimeout = 8;
/** Longest time between two checks, in milliseconds. */
const longestCheckMs = 5_000;

/**
 * Slowest rate at which a client may read, in bytes per second: that of Kestrel
 * (https://learn.microsoft.com/dotnet/api/microsoft.aspnetcore.server.kestrel.core.kestrelserverlimits.minresponsedatarate).
 */
export const minBytesPerSecond = 240;

/** In bytes. */
export interface Sent {
  readonly sent: number;
  readonly waiting: number;
}

/** Returns the time between two checks of a stall detector. @param timeoutMs how long a sender may make no progress */
export function stallCheckMs(timeoutMs: number): number {
  return Math.min(timeoutMs / checksInTimeout, longestCheckMs);
}

/**
 * Creates a detector. Of the time between two checks, at most twice {@link stallCheckMs} counts: in a longer time, the
 * process was busy or suspended and sent nothing.
 *
 * @param timeoutMs how long a sender may make too little progress, in milliseconds
 * @param bytesPerSecond the slowest rate; at least one byte during the timeout is demanded
 */
export function createStallDetector<T>(timeoutMs: number, bytesPerSecond: number) {
  const step = Math.ceil((bytesPerSecond * timeoutMs) / 1_000);
  const longestMs = 2 * stallCheckMs(timeoutMs);
  /** The number of bytes at which a sender has made progress, and for how long it has not reached it, in milliseconds. */
  let known = new Map<T, { target: number; slowMs: number }>();
  let checkedAt = performance.now();
  /**
   * Checks senders, such as connections, for too little progress. Call it every {@link stallCheckMs} with all of them.
   *
   * @param sentBy returns undefined when a sender has nothing to send
   * @returns the senders that had bytes to send during the timeout, but sent fewer than the rate demands
   */
  return (senders: Iterable<T>, sentBy: (sender: T) => Sent | undefined): T[] => {
    const now = performance.now();
    const elapsedMs = Math.min(now - checkedAt, longestMs);
    checkedAt = now;
    const seen: typeof known = new Map();
    const stalled: T[] = [];
    for (const sender of senders) {
      const progress = sentBy(sender);
      if (progress === undefined) continue;
      const { sent, waiting } = progress;
      const before = known.get(sender);
      if (before === undefined || sent >= before.target) {
        seen.set(sender, { target: sent + Math.min(step, waiting), slowMs: 0 });
      } else {
        const slowMs = before.slowMs + elapsedMs;
        if (slowMs >= timeoutMs) stalled.push(sender);
        else seen.set(sender, { target: before.target, slowMs });
      }
    }
    known = seen;
    return stalled;
  };
}

/** Returns what a connection has sent; undefined when no bytes wait. @param queued bytes that the kernel holds */
export function sentByConnection(socket: Socket, queued = 0): Sent | undefined {
  const handle = handleOf(socket);
  const waiting = (handle?.writeQueueSize ?? socket.writableLength) + queued;
  if (waiting === 0) return undefined;
  return { sent: (handle?.bytesWritten ?? socket.bytesWritten) - waiting, waiting };
}

/** Returns what an HTTP/2 stream has sent of its response; undefined when no bytes wait to be sent. */
export function sentByStream({ stream, bytesSent }: Http2Exchange): Sent | undefined {
  const { writableLength: waiting } = stream;
  return waiting > 0 ? { sent: bytesSent - waiting, waiting } : undefined;
}
