import type { Connection } from "./connection.ts";

/** Returns a connection that sends no more commands once the signal is aborted. They fail with the signal's reason. */
export function abortable(connection: Connection, signal: AbortSignal): Connection {
  return {
    ...connection,
    async run(...commands) {
      signal.throwIfAborted();
      return connection.run(...commands);
    },
    async change(...commands) {
      signal.throwIfAborted();
      return connection.change(...commands);
    },
  };
}
