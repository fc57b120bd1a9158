import { constants, type ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { guarded } from "../../call/guard.ts";
import { setReadTimeout } from "../../call/read-timeout.ts";
import { writeNow } from "../node-internals/socket-handle.ts";

/** A GOAWAY frame with the largest stream id and NO_ERROR (RFC 9113, section 6.8). */
const shutdownNotice = Buffer.from("000008070000000000" + "7fffffff" + "00000000", "hex");

/** How long a client may take to acknowledge the PING after the first GOAWAY, in milliseconds. */
export const roundTripMs = 1_000;

/**
 * Closes a session in two steps (RFC 9113, section 6.8), so that no request in transit is lost. The first GOAWAY asks
 * the client to open no more streams. When the client has acknowledged a PING, or after `waitMs`, the second GOAWAY names
 * the last stream. The session closes after that stream.
 *
 * Node's `goaway()` cannot send the first GOAWAY, because nghttp2 ignores new streams after it. So the frame is written
 * directly to the socket. That is not possible over TLS, or when the client reads slowly. The session is then closed in
 * one step: the GOAWAY names the requests that were not processed, and the client can send them again.
 *
 * @param socket the socket of the session
 * @param waitMs how long to wait for the acknowledgment, in milliseconds; 0 skips the first step
 * @param report called with an error that node throws
 */
export function closeGracefully(
  session: ServerHttp2Session,
  socket: Socket,
  waitMs: number,
  report: (error: unknown) => void,
): void {
  const close = () => {
    timer.cancel();
    session.close();
  };
  const timer = setReadTimeout(guarded(report, close), waitMs);
  session.once("close", () => timer.cancel());
  const notify = () => {
    if (session.destroyed || session.closed) return;
    const written = writeNow(socket, shutdownNotice);
    if (written === 0) close();
    else if (written < shutdownNotice.length) endSession(session);
    else session.ping(guarded(report, close));
  };
  if ("encrypted" in socket || waitMs === 0) close();
  // Before the client has acknowledged the settings, the session may have unsent bytes (see announceSettings).
  else if (session.pendingSettingsAck) session.once("localSettings", notify);
  else notify();
}

/**
 * Destroys a session in the next phase of the event loop. `session.destroy` can crash the process when a listener calls it
 * while node still processes the frames of a read (nodejs/node#64850). @param code that of GOAWAY (RFC 9113, section 7)
 */
export function endSession(
  session: ServerHttp2Session,
  error?: Error,
  code: number = constants.NGHTTP2_NO_ERROR,
): void {
  setImmediate(() => session.destroy(error, code));
}
