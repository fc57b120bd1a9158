import type { ServerResponse } from "node:http";
import { constants, type Http2Session } from "node:http2";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { setReadTimeout } from "../../call/read-timeout.ts";
import type { Http2Response } from "./http2-exchange.ts";

/** How long a client may take to receive the end of a response, in milliseconds. */
const lingerMs = 1_000;

/** How long a client may take after that to close its side of the connection, in milliseconds. */
const closeMs = 500;

/** How long a client may take to acknowledge a PING, in milliseconds. Its other streams may still work. */
const pingMs = 5_000;

/**
 * Gives a client one second to read the rest of a response that the server has ended. After that, it resets the stream,
 * so that a client that does not read cannot hold memory.
 */
export function cutStream({ stream }: Http2Response): void {
  const { session } = stream;
  const linger = setReadTimeout(() => {
    if (stream.destroyed || stream.writableFinished) return;
    stream.close(constants.NGHTTP2_CANCEL);
    if (session) destroyUnlessRead(session);
  }, lingerMs);
  stream.once("close", () => linger.cancel());
}

/** Sessions with an unacknowledged PING. */
const probed = new WeakSet<Http2Session>();

/**
 * Closes a connection whose client does not read at all, so that no reset of a stream can reach it. A client that reads
 * acknowledges a PING (RFC 9113, section 6.7) after everything that was sent before.
 */
function destroyUnlessRead(session: Http2Session): void {
  if (session.destroyed || probed.has(session)) return;
  probed.add(session);
  const limit = setReadTimeout(resetOf(session.socket), pingMs).unref();
  session.ping((error) => {
    // An error means that the session has ended and waits for its client.
    if (error) return;
    limit.cancel();
    probed.delete(session);
  });
}

/**
 * Does the same over HTTP/1.1: closes the connection unless the client uses it again. The kernel may still hold a response that the client has not
 * read, and the server cannot find that out.
 */
export function cutConnection(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  const { bytesRead } = socket;
  // Add no listener to the socket: each request would add one, and a client can send many requests.
  setReadTimeout(() => {
    if (socket.destroyed) return;
    const reset = resetOf(socket);
    if (!response.writableFinished) reset();
    else if (socket.bytesRead === bytesRead) {
      setReadTimeout(reset, closeMs).unref();
      socket.end();
    }
  }, lingerMs).unref();
}

/**
 * Returns a function that resets a connection, which frees the kernel's memory for it without waiting for the client.
 * The function does nothing when the connection has ended. Call it while an HTTP/2 session is open, because node gives
 * no access to its socket later.
 */
function resetOf(socket: Socket): () => void {
  // TLS sockets cannot send a reset, and `destroy` of a session's socket waits for the client.
  if (socket instanceof TLSSocket) {
    const dispose = socket[Symbol.asyncDispose].bind(socket);
    return () => void dispose().catch(() => undefined);
  }
  return socket.resetAndDestroy.bind(socket);
}
