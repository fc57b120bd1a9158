import type { ServerResponse } from "node:http";
import { constants, type Http2Session } from "node:http2";
import type { Socket } from "node:net";
import { setReadTimeout } from "../../call/read-timeout.ts";
import { resetConnection } from "../../server/node-internals/socket-handle.ts";
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
export function cutStream({ stream, req }: Http2Response): void {
  const { session } = stream;
  const linger = setReadTimeout(() => {
    if (stream.destroyed || stream.writableFinished) return;
    stream.close(constants.NGHTTP2_CANCEL);
    if (session) destroyUnlessRead(session, req.socket);
  }, lingerMs);
  stream.once("close", () => linger.cancel());
}

/** Sessions with an unacknowledged PING. */
const probed = new WeakSet<Http2Session>();

/**
 * Closes a connection whose client does not read at all, so that no reset of a stream can reach it. A client that reads
 * acknowledges a PING (RFC 9113, section 6.7) after everything that was sent before.
 */
function destroyUnlessRead(session: Http2Session, socket: Socket): void {
  if (session.destroyed || probed.has(session)) return;
  probed.add(session);
  const limit = setReadTimeout(() => resetConnection(socket), pingMs).unref();
  session.ping((error) => {
    // An error means that the session has ended and waits for its client.
    if (error) return;
    limit.cancel();
    probed.delete(session);
  });
}

/**
 * Does the same over HTTP/1.1: closes the connection unless the client uses it again. The kernel may still hold a
 * response that the client has not read, and the server cannot find that out.
 */
export function cutConnection(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  const { bytesRead } = socket;
  // Add no listener to the socket: each request would add one, and a client can send many requests.
  setReadTimeout(() => {
    if (socket.destroyed) return;
    if (!response.writableFinished) resetConnection(socket);
    else if (socket.bytesRead === bytesRead) {
      setReadTimeout(() => resetConnection(socket), closeMs).unref();
      socket.end();
    }
  }, lingerMs).unref();
}
