import type { IncomingMessage } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
import type { NodeServerRequest, NodeServerResponse } from "./node-http.ts";

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
 * HTTP/1.1: a short body is read and thrown away. A long one, or one that the client holds back until
 * it is told to go on (RFC 9110, section 10.1.1), ends the connection. HTTP/2: the client is told, once
 * the answer is out, to send no more (RFC 9113, section 8.1).
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
    const answered = () => setImmediate(closeWhenAnswered, stream);
    // That of a request by HEAD has finished before it began.
    if (stream.writableFinished) answered();
    else stream.once("finish", answered);
    return;
  }
  const isHeldBack = request.headers.expect !== undefined;
  if (isHeldBack || (declared !== undefined && declared > maxBytes)) {
    response.setHeader("Connection", "close");
  } else {
    drain(request, maxBytes);
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
function closeWhenAnswered(stream: ServerHttp2Stream): void {
  if (stream.closed || stream.destroyed) {
    return;
  }
  if (stream.state.localClose === 1) {
    stream.close(constants.NGHTTP2_NO_ERROR);
    return;
  }
  setTimeout(closeWhenAnswered, answerPollMs, stream).unref();
}

/** Reads a body and throws it away. One that turns out long ends the connection. */
function drain(request: IncomingMessage, maxBytes: number): void {
  let left = maxBytes;
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) {
      request.socket.destroySoon();
    }
  });
}
