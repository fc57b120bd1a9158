import type { Socket } from "node:net";

/** The part of a socket's handle that is used here. Node does not document it. */
export interface SocketHandle {
  /** The file descriptor; -1 when there is none. */
  readonly fd: number;
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

/** Returns the handle that a socket reads from and writes to; null when the socket is closed. */
export function handleOf(socket: Socket): SocketHandle | null {
  return (socket as Socket & { readonly _handle: SocketHandle | null })._handle;
}

/** Returns the TCP socket below a TLS socket. It alone can be reset, and knows what the kernel has accepted. */
export function tcpSocketOf(socket: Socket): Socket {
  // Node does not document `_parent`.
  return (socket as { readonly _parent?: Socket | null })._parent ?? socket;
}
