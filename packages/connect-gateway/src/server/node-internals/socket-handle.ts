import type { Socket } from "node:net";

/** The part of a socket's handle that is used here. */
export interface SocketHandle {
  /** Bytes that libuv has not passed to the kernel yet. */
  readonly writeQueueSize: number;
  /** Bytes that were passed to libuv: those of a write that is not finished count too, unlike in `Socket.bytesWritten`. */
  readonly bytesWritten: number;
  /** Bytes that were read from the connection. */
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
