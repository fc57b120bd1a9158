import { clientDisconnected } from "../http-context.ts";
import { GrowingBuffer } from "./growing-buffer.ts";
import { type NodeServerResponse, sendContinue } from "./node-http.ts";

/**
 * Reads a whole request body. Holds at most twice the bytes received so far, even if the client sends tiny pieces.
 *
 * @param maxBytes the largest allowed body, in bytes
 * @param tooLarge makes the error for a larger body from its first bytes. It is thrown as soon as the limit is exceeded
 * @returns the body, or a promise of it if its end has not arrived yet
 * @throws ConnectError canceled when the client disconnects
 */
export function readBody(
  response: NodeServerResponse,
  maxBytes: number,
  tooLarge: (start: Uint8Array) => Error,
): Promise<Uint8Array> | Uint8Array {
  const request = response.req;
  // No event follows if the client has disconnected already.
  if (response.destroyed || request.isBodyAborted) {
    return Promise.reject(clientDisconnected());
  }
  const whole = request.takeBody();
  if (whole) return whole.length > maxBytes ? Promise.reject(tooLarge(whole)) : whole;
  // Over HTTP/2, an empty body may have ended already.
  if (request.bodySource.readableEnded) return Promise.resolve(new Uint8Array());
  sendContinue(response);
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer(response.unread);
    const onData = (chunk: Buffer) => {
      if (body.length + chunk.length > maxBytes) fail(() => tooLarge(body.startOr(chunk)));
      else body.append(chunk);
    };
    const onEnd = () => {
      stop();
      resolve(body.take());
    };
    const onClose = () => fail(clientDisconnected);
    const stop = () => {
      request.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose);
      request.onBodyAborted(undefined);
    };
    const fail = (makeError: () => Error) => {
      stop();
      try {
        reject(makeError());
      } catch (error) {
        reject(error);
      }
      body.clear();
    };
    request.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose);
    request.onBodyAborted(onClose);
  });
}
