import { constants, type ServerHttp2Session } from "node:http2";

/**
 * Destroys a session in the next phase of the event loop. Use it instead of `session.destroy`, which can crash the
 * process when a listener calls it while node still processes the frames of a read (nodejs/node#64850).
 *
 * @param error the error of the session's streams
 * @param code the error code in the GOAWAY frame (RFC 9113, section 7)
 */
export function endSession(
  session: ServerHttp2Session,
  error?: Error,
  code: number = constants.NGHTTP2_NO_ERROR,
): void {
  setImmediate(destroy, session, error, code);
}

function destroy(session: ServerHttp2Session, error: Error | undefined, code: number): void {
  session.destroy(error, code);
}
