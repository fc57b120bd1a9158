import { writeSync } from "node:fs";
import type { Socket } from "node:net";

export interface SocketHandle {
  /** The file descriptor; -1 when there is none. */
  readonly fd: number;
  /** Bytes that libuv has not passed to the kernel yet. */
  readonly writeQueueSize: number;
  /** Bytes that were passed to libuv: those of a write that is not finished count too, unlike in `Socket.bytesWritten`. */
  readonly bytesWritten: number;
  readonly bytesRead: number;
  /** Whether node has started it. Node itself sets this before each start and stop. */
  reading: boolean;
  readStart(): number;
  readStop(): number;
}

/** Returns the handle that a socket reads from and writes to; null when the socket is closed, or has no such handle. */
export function handleOf(socket: Socket): SocketHandle | null {
  const { _handle } = socket as Socket & { readonly _handle?: SocketHandle | null };
  return typeof _handle?.readStop === "function" ? _handle : null;
}

/**
 * Passes bytes of an HTTP/2 session to the kernel at once. `socket.write` may queue them. When a queued write completes,
 * node reports it to the session, which mistakes it for its own write and aborts the process.
 *
 * @returns the number of bytes that the kernel accepted; 0 when other bytes are queued
 */
export function writeNow(socket: Socket, bytes: Buffer): number {
  const handle = handleOf(socket);
  if (!handle || handle.fd < 0 || handle.writeQueueSize > 0) return 0;
  try {
    return writeSync(handle.fd, bytes);
  } catch {
    return 0;
  }
}
