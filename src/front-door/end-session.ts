import { constants, type ServerHttp2Session } from "node:http2";

/**
 * Destroys a session in the next phase of the event loop. To be called instead of `session.destroy`: a session that is
 * destroyed by a listener, while node still processes the frames of a read, can crash the process
 * (nodejs/node#64850).
 *
 * @param error passed on to the session's streams
 * @param code sent to the client in GOAWAY. RFC 9113, 7
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
