import { GrowingBuffer } from "./growing-buffer.ts";
import { clientLeft } from "./http-call.ts";
import {
  isGone,
  type NodeServerRequest,
  type NodeServerResponse,
  sendContinue,
} from "./node-http.ts";

/**
 * Reads a whole request body. Holds at most twice the bytes received so far, however small the pieces are in
 * which the client sends them.
 *
 * @param maxBytes the most to read
 * @param tooLarge makes the error for a longer body, from its first bytes; thrown as soon as the body is
 * known to be longer
 * @throws ConnectError canceled when the client disconnects
 */
export function readBody(
  request: NodeServerRequest,
  response: NodeServerResponse,
  maxBytes: number,
  tooLarge: (start: Uint8Array) => Error,
): Promise<Uint8Array> {
  // Whoever has left before will not leave again.
  if (isGone(response) || ("stream" in request && request.isCut)) {
    return Promise.reject(clientLeft());
  }
  // Over HTTP/2 an empty body can have come to its end already.
  if ("stream" in request && request.stream.readableEnded) return Promise.resolve(new Uint8Array());
  sendContinue(request, response);
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer();
    const onData = (chunk: Buffer) => {
      if (body.length + chunk.length > maxBytes) fail(() => tooLarge(body.startOr(chunk)));
      else body.append(chunk);
    };
    const onEnd = () => {
      stop();
      resolve(body.bytes);
    };
    const onClose = () => fail(clientLeft);
    const stop = () => {
      request.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose);
      if ("stream" in request) request.whenCut(undefined);
    };
    const fail = (makeError: () => Error) => {
      stop();
      try {
        reject(makeError());
      } catch (error) {
        reject(error);
      }
    };
    request.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose);
    if ("stream" in request) request.whenCut(onClose);
  });
}
