import type { Socket } from "node:net";

/** The TCP sockets of TLS sockets. Node does not name them. */
const tcpSockets = new WeakMap<Socket, Socket>();

/** Remembers the TCP socket of a TLS socket. */
export function setTcpSocket(tls: Socket, tcp: Socket): void {
  tcpSockets.set(tls, tcp);
}

/** Returns the TCP socket below a TLS socket. It alone can be reset, and knows what the kernel has accepted. */
export function tcpSocketOf(socket: Socket): Socket {
  return tcpSockets.get(socket) ?? socket;
}

/** Resets a TCP connection, so that the kernel frees its unsent bytes at once, instead of trying to send them for minutes. */
export function resetConnection(socket: Socket): void {
  // While the connection shuts down, the kernel does not allow a reset.
  const isShuttingDown =
    socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
  if (isShuttingDown) socket.destroy();
  else tcpSocketOf(socket).resetAndDestroy();
}
