import { writeSync } from "node:fs";
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { guarded } from "../call/guard.ts";
import { setReadTimeout } from "../call/read-timeout.ts";
import { endSession } from "./end-session.ts";
import { handleOf } from "./socket-handle.ts";

/** A GOAWAY frame with the largest stream id and NO_ERROR: head, last stream, error code. RFC 9113, 6.8 */
const shutdownNotice = Buffer.from("000008070000000000" + "7fffffff" + "00000000", "hex");

/** How long a client may take to acknowledge the PING that follows the first GOAWAY, in ms. */
export const roundTripMs = 1_000;

/**
 * Closes a session in two steps (RFC 9113, 6.8), so that no request is lost that is on its way. The first GOAWAY asks
 * the client to open no more streams, and all that it opens until it has read that are served. When the client has
 * acknowledged a PING, or after `waitMs`, the second GOAWAY says which stream was the last, and the session
 * closes after its last stream.
 *
 * Node's `goaway()` cannot be the first step: after it, nghttp2 ignores new streams. So the frame is written past the
 * session, which writes whole frames. Where that is not possible, the session is closed in one step: over TLS, and when
 * the client does not read as fast as it is sent to. The client then learns which requests were not processed, and can
 * send them again.
 *
 * @param socket that the session was made of
 * @param waitMs how long to wait for the acknowledgment, in ms; with 0 there is only the second step
 * @param report receives an error that node throws
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
  // Until the client has acknowledged them, the session's first bytes may not be sent: see announceSettings.
  else if (session.pendingSettingsAck) session.once("localSettings", notify);
  else notify();
}

/**
 * Gives bytes to the kernel at once. A write of the socket may be queued. When it completes, node reports it to the
 * session, which takes it for a write of its own and aborts the process.
 *
 * @returns how many bytes the kernel took; 0 when others are queued
 */
function writeNow(socket: Socket, bytes: Buffer): number {
  const handle = handleOf(socket);
  if (!handle || handle.fd < 0 || handle.writeQueueSize > 0) return 0;
  try {
    return writeSync(handle.fd, bytes);
  } catch {
    return 0;
  }
}
