import type { ServerResponse } from "node:http";
import { constants, type Http2Session } from "node:http2";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { setReadTimeout } from "../call/read-timeout.ts";
import type { Http2Response } from "./http2-exchange.ts";
import type { NodeServerResponse } from "./node-http.ts";

/** How long a client may take to receive the end of a response, in milliseconds. */
const lingerMs = 1_000;

/** How long a client may then take to close its side of the connection, in milliseconds. */
const closeMs = 500;

/** How long a client may take to answer a PING, in milliseconds. Its other streams may still work. */
const pingMs = 5_000;

/**
 * Finishes a response that the server has ended. A client that reads gets the whole response. Otherwise the
 * connection (HTTP/1.1) or the stream (HTTP/2) is reset after a second, so that a client that does not read
 * cannot hold memory.
 */
export function cutUnlessSent(response: NodeServerResponse): void {
  if ("stream" in response) cutStream(response);
  else cutConnection(response);
}

function cutStream({ stream }: Http2Response): void {
  const { session } = stream;
  const linger = setReadTimeout(() => {
    if (stream.destroyed || stream.writableFinished) return;
    stream.close(constants.NGHTTP2_CANCEL);
    if (session) destroyUnlessRead(session);
  }, lingerMs);
  stream.once("close", () => linger.cancel());
}

/** Sessions that wait for the acknowledgment of a PING. */
const probed = new WeakSet<Http2Session>();

/**
 * Ends a connection whose client does not read it at all, so that not even a reset reaches it. A client that
 * reads answers a PING (RFC 9113, section 6.7), behind all that was sent before.
 */
function destroyUnlessRead(session: Http2Session): void {
  if (session.destroyed || probed.has(session)) return;
  probed.add(session);
  const limit = setReadTimeout(resetOf(session.socket), pingMs).unref();
  session.ping((error) => {
    // An error means that the session has ended, which waits for its client.
    if (error) return;
    limit.cancel();
    probed.delete(session);
  });
}

/**
 * Closes the connection unless the client uses it again. A response that was handed to the kernel may still be
 * unread there, and the server cannot find out.
 */
function cutConnection(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  const { bytesRead } = socket;
  // No listener on the socket: each request would add one, and a client can send many.
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
 * Returns a function that ends a connection without waiting for its client, and frees what the kernel holds for
 * it. The function does nothing to a connection that has ended. To be called while an HTTP/2 session lasts:
 * later, node gives no access to its socket.
 */
function resetOf(socket: Socket): () => void {
  // TLS sockets cannot send a reset, and `destroy` of a session's socket waits for the client.
  if (socket instanceof TLSSocket) {
    const dispose = socket[Symbol.asyncDispose].bind(socket);
    return () => void dispose().catch(() => undefined);
  }
  return socket.resetAndDestroy.bind(socket);
}
