import { clientLeft } from "./http-call.ts";
import {
  isGone,
  type NodeServerRequest,
  type NodeServerResponse,
  sendContinue,
} from "./node-http.ts";

/**
 * Reads a whole request body.
 *
 * @param maxBytes the most to read
 * @param tooLarge makes the error for a longer one, which starts like that; thrown as soon as it is known
 * @throws ConnectError canceled when the client leaves
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
  if ("stream" in request && request.stream.readableEnded) return Promise.resolve(joinChunks([]));
  sendContinue(request, response);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) fail(tooLarge(chunks[0] ?? chunk));
      else chunks.push(chunk);
    };
    const onEnd = () => {
      stop();
      resolve(joinChunks(chunks));
    };
    const onClose = () => fail(clientLeft());
    const stop = () => {
      request.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose);
      if ("stream" in request) request.whenCut(undefined);
    };
    const fail = (error: unknown) => {
      stop();
      reject(error);
    };
    request.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose);
    if ("stream" in request) request.whenCut(onClose);
  });
}

function joinChunks(chunks: readonly Buffer[]): Uint8Array {
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
}
