import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";

/** How long a client may take to close its side of a connection that the server has ended, in ms. */
const lingerMs = 1_000;

/**
 * Sees a connection to its end. Closing in two steps lets a client that is still sending read the
 * last response (RFC 9112, 9.6), but must not depend on its goodwill, nor on a write that a reset
 * connection would never complete.
 */
export function destroyIfLingering(connection: Socket | ServerHttp2Session): void {
  const linger = setTimeout(() => connection.destroy(), lingerMs);
  connection.once("close", () => clearTimeout(linger));
}
