import { constants, type ServerHttp2Stream } from "node:http2";
import type { Readable } from "node:stream";
import { guarded } from "../../call/guard.ts";
import type { Http1Response } from "./http1-exchange.ts";
import type { Http2Response } from "./http2-exchange.ts";
import type { NodeServerResponse } from "./node-http.ts";

/** Most bytes of a body that are read and discarded, so that the connection can be used again. */
const maxDrainBytes = 256 * 1024;

/** The same for a body that a handler has begun to read. A streaming client does not expect to be reset. */
const maxRestBytes = 16 * maxDrainBytes;

/**
 * How long to wait for the end of a body after an HTTP/2 response, in milliseconds. Most bodies end before, and need no
 * reset. curl 7.88 loses a response that it reads together with a reset.
 */
const maxRestMs = 200;

/** How often to check whether a response was sent, in milliseconds. Node has no event for it. */
const responsePollMs = 5;

/**
 * Discards a request body that no handler will read. Call it before the response is sent.
 *
 * Over HTTP/1.1 it reads and discards a short body. It closes the connection after a long body, and after one that the
 * client does not send before it receives 100 Continue (RFC 9110, section 10.1.1). Over HTTP/2 it resets the stream of
 * a long body, and of one that does not end soon after the response. The reset asks the client to send no more (RFC 9113,
 * section 8.1).
 */
export function discardBody(response: NodeServerResponse, maxBytes = maxDrainBytes): void {
  if (response.req.declaredLength === 0 || response.req.complete) return;
  response.discardBody(maxBytes);
}

/** {@link discardBody} over HTTP/2. */
export function discardHttp2(response: Http2Response, maxBytes: number): void {
  const { stream } = response;
  // Before the response is sent, because one unread byte can keep a whole read of the connection, 64 KiB, in memory.
  discard(stream, maxBytes, () => stream.close(constants.NGHTTP2_NO_ERROR));
  const close = guarded(
    (error) => response.fail(error),
    () => closeWhenSent(stream, close),
  );
  const finished = () => {
    const timer = setTimeout(close, maxRestMs).unref();
    stream.once("close", () => clearTimeout(timer));
  };
  // A response to HEAD is finished already.
  if (stream.writableFinished) finished();
  else stream.once("finish", finished);
}

/** {@link discardBody} over HTTP/1. */
export function discardHttp1(response: Http1Response, maxBytes: number): void {
  const request = response.req;
  const declared = request.declaredLength;
  const waitsForContinue = request.headers.expect !== undefined;
  if (waitsForContinue || (declared !== undefined && declared > maxBytes)) {
    response.setHeader("Connection", "close");
  } else {
    discard(request, maxBytes, () => request.socket.destroySoon());
  }
}

/**
 * Discards the rest of a body whose reader may stop before its end. Otherwise a client that still sends would wait
 * forever. Over HTTP/1.1, the next call on its connection would wait too.
 */
export function discardRest(response: NodeServerResponse): void {
  discardBody(response, maxRestBytes);
}

/**
 * Asks the client to send no more, as soon as the whole response was sent. An earlier reset could be sent before the
 * last frame of the response, and the client would see an incomplete response.
 */
function closeWhenSent(stream: ServerHttp2Stream, again: () => void): void {
  if (stream.closed || stream.destroyed) {
    return;
  }
  if (stream.state.localClose === 1) {
    stream.close(constants.NGHTTP2_NO_ERROR);
    return;
  }
  setTimeout(again, responsePollMs).unref();
}

/** Reads and discards the rest of a body. Calls `end` when it is longer than `maxBytes`. */
function discard(stream: Readable, maxBytes: number, end: () => void): void {
  let left = maxBytes;
  stream.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) end();
  });
}
