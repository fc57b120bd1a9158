import type { IncomingMessage } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
import { guarded } from "../call/guard.ts";
import { failExchange, type NodeServerRequest, type NodeServerResponse } from "./node-http.ts";

/** Most that is read for nothing, in bytes, so that a connection can be kept. */
const maxDrainBytes = 256 * 1024;

/** The same for a body that was begun to be read: a client that streams does not expect to be cut off. */
const maxRestBytes = 16 * maxDrainBytes;

/** How often to look whether an answer is out, of which node tells nothing. */
const answerPollMs = 5;

/**
 * The length of a request's body, as far as its header section tells.
 *
 * @returns bytes; undefined when it is not known before the body ends
 */
export function declaredLength(request: NodeServerRequest): number | undefined {
  const { headers } = request;
  const length = headers["content-length"];
  if (length !== undefined) {
    return Number(length);
  }
  if ("stream" in request) {
    return request.stream.endAfterHeaders ? 0 : undefined;
  }
  return headers["transfer-encoding"] === undefined ? 0 : undefined;
}

/**
 * Decides what becomes of a request body that nobody will read. To be called before the answer is sent.
 *
 * A short body is read and thrown away. HTTP/1.1: a long one, or one that the client holds back until it receives
 * 100 Continue (RFC 9110, section 10.1.1), ends the connection. HTTP/2: a long one is reset, and after the response
 * a reset asks the client to send no more (RFC 9113, section 8.1).
 */
export function leaveBody(
  request: NodeServerRequest,
  response: NodeServerResponse,
  maxBytes = maxDrainBytes,
): void {
  const declared = declaredLength(request);
  if (declared === 0 || request.complete) {
    return;
  }
  if ("stream" in request) {
    const { stream } = request;
    // Before the response is sent: one unread byte can hold the read of the connection that it came in, 64 KiB.
    discard(stream, maxBytes, () => stream.close(constants.NGHTTP2_NO_ERROR));
    const close = guarded(
      (error) => failExchange(response, error),
      () => closeWhenAnswered(stream, close),
    );
    const answered = () => setImmediate(close);
    // That of a request by HEAD has finished before it began.
    if (stream.writableFinished) answered();
    else stream.once("finish", answered);
    return;
  }
  const isHeldBack = request.headers.expect !== undefined;
  if (isHeldBack || (declared !== undefined && declared > maxBytes)) {
    response.setHeader("Connection", "close");
  } else {
    discard(request, maxBytes, () => request.socket.destroySoon());
  }
}

/**
 * The same for a body whose reader has stopped before its end, or may yet. Left alone, a client that
 * still sends would wait for ever: over HTTP/1.1 with the next call on its connection.
 */
export function leaveRest(request: NodeServerRequest, response: NodeServerResponse): void {
  leaveBody(request, response, maxRestBytes);
}

/**
 * Tells the client to send no more, as soon as the answer's end is out. Earlier, the reset would overtake
 * the frame that ends the answer, and a client would take the answer for one that was cut off.
 */
function closeWhenAnswered(stream: ServerHttp2Stream, again: () => void): void {
  if (stream.closed || stream.destroyed) {
    return;
  }
  if (stream.state.localClose === 1) {
    stream.close(constants.NGHTTP2_NO_ERROR);
    return;
  }
  setTimeout(again, answerPollMs).unref();
}

/** Reads the rest of a body and throws it away. Calls `end` when it is longer than `maxBytes`. */
function discard(
  stream: IncomingMessage | ServerHttp2Stream,
  maxBytes: number,
  end: () => void,
): void {
  let left = maxBytes;
  stream.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) end();
  });
}
