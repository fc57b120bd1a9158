import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Starts the checks for timeouts and idle connections of a server that does not listen. */
export function startChecks(server: Server): void {
  server.emit("listening");
}

/**
 * Replaces what node does with a connection after its last HTTP/1 response. Node's own function destroys the socket as
 * soon as the kernel has the response, but a slow client may need more time to read it.
 */
export function onLastResponse(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}
