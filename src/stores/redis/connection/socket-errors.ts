import type { Redis } from "ioredis";

/**
 * Calls a function with each error of a client's connection. If the server says why it refuses all commands before it closes
 * the connection, that is the error: ioredis can report the closed connection instead.
 *
 * A TLS socket can have two errors: the client refuses the server's certificate, and the server then reports that the
 * handshake has failed. Only the first one counts. Without a listener, the second one would end the process.
 */
export function onConnectionError(redis: Redis, report: (error: Error) => void): void {
  let refusal: Error | undefined;
  redis.on("connecting", () => {
    refusal = undefined;
    // ioredis creates the socket right after this event.
    setImmediate(() => {
      redis.stream?.on("error", () => {});
      redis.stream?.once("data", (first: Buffer) => {
        const [, line] =
          /^-((?:DENIED |ERR max number of clients)[^\r\n]*)/.exec(first.toString("latin1")) ?? [];
        if (line === undefined) return;
        refusal = new Error(line);
        report(refusal);
      });
    });
  });
  redis.on("error", (error: Error) => report(refusal ?? error));
}
