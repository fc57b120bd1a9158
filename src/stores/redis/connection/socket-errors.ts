import type { Redis } from "ioredis";

/**
 * Ignores all errors of a client's sockets except the first one, which ioredis handles. A TLS socket can have two
 * errors: the client refuses the server's certificate, and the server then reports that the handshake has failed.
 * Without a listener, the second one ends the process.
 */
export function ignoreLaterErrors(redis: Redis): void {
  // ioredis creates the socket right after this event.
  redis.on("connecting", () => setImmediate(() => redis.stream?.on("error", () => {})));
}
