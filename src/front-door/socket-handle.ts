import type { Socket } from "node:net";

/** The part of a socket's handle that is used here. node does not document it. */
export interface SocketHandle {
  /** The file descriptor; -1 when there is none. */
  readonly fd: number;
  /** Bytes that libuv has not given to the kernel yet. */
  readonly writeQueueSize: number;
  readStart(): number;
  readStop(): number;
}

/** Returns the handle that a socket reads from and writes to; null when the socket is closed. */
export function handleOf(socket: Socket): SocketHandle | null {
  return (socket as Socket & { readonly _handle: SocketHandle | null })._handle;
}
