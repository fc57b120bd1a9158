import type { Socket } from "node:net";

/** The part of a socket's handle that is used here. Node does not document it. */
export interface SocketHandle {
  /** The file descriptor; -1 when there is none. */
  readonly fd: number;
  /** Bytes that libuv has not passed to the kernel yet. */
  readonly writeQueueSize: number;
  readStart(): number;
  readStop(): number;
}

/** Returns the handle that a socket reads from and writes to; null when the socket is closed. */
export function handleOf(socket: Socket): SocketHandle | null {
  return (socket as Socket & { readonly _handle: SocketHandle | null })._handle;
}
