import { writeSync } from "node:fs";
import type { Socket } from "node:net";

/** The part of a socket's handle that is used here. */
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
  return (socket as { readonly _parent?: Socket | null })._parent ?? socket;
}

/**
 * Makes the address of a client known after its connection has closed, when the request is logged. Node reads the
 * address when it is first asked for, and cannot read it then.
 */
export function rememberAddress(socket: Socket): void {
  void socket.remoteAddress;
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

/**
 * Resets a TCP connection, so that the kernel frees its unsent bytes at once. After an ordinary close, the kernel would
 * try to send them for minutes.
 */
export function resetConnection(socket: Socket): void {
  // While the connection shuts down, the kernel does not allow a reset.
  const isShuttingDown =
    socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
  if (isShuttingDown) socket.destroy();
  else tcpSocketOf(socket).resetAndDestroy();
}
