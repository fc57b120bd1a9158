import type { Socket } from "node:net";
import { guarded } from "../../call/guard.ts";
import { type ReadTimeout, setReadTimeout } from "../../call/read-timeout.ts";
import { longestTimer } from "../../call/timer.ts";
import { endStreams } from "../../http/send-stream.ts";

/** Most that the age of a connection differs from the maximum age, as a fraction of it. */
const jitter = 0.1;

/** How long after the grace period a connection is closed, in milliseconds. Its streams end in the meantime. */
const closeMs = 2_000;

/** When connections end because of their age. */
export interface ConnectionAge {
  /** The age, in milliseconds. The ages of connections differ by up to 10 %, so that not all of them end at once. */
  readonly maxMs: number;
  /** How long requests can go on after that, in milliseconds. */
  readonly graceMs: number;
  /** Makes the error of the streams that are left after the grace period. */
  readonly ended: () => unknown;
}

export interface AgingConnection {
  readonly socket: Socket;
  /** Makes the client send its next requests on another connection. */
  retire(): void;
  /** Closes the connection unless it has an open request. Called at the end of the grace period. */
  closeIfIdle(): void;
  close(): void;
}

/**
 * Ends a connection at a maximum age, as gRPC's MAX_CONNECTION_AGE does, so that its client can connect to another process.
 * Open requests go on during a grace period.
 *
 * https://github.com/grpc/proposal/blob/master/A9-server-side-conn-mgt.md
 *
 * @param report called with an error that a callback throws
 */
export function limitAge(
  connection: AgingConnection,
  { maxMs, graceMs, ended }: ConnectionAge,
  report: (error: unknown) => void,
): void {
  const { socket } = connection;
  if (socket.destroyed) return;
  let timer: ReadTimeout | undefined;
  const after = (ms: number, step: () => void) => {
    timer = setReadTimeout(guarded(report, step), ms);
  };
  socket.once("close", () => timer?.cancel());
  after(Math.min(maxMs * (1 - jitter + 2 * jitter * Math.random()), longestTimer), () => {
    connection.retire();
    after(graceMs, () => {
      connection.closeIfIdle();
      after(closeMs, () => connection.close());
      endStreams(socket, ended());
    });
  });
}
