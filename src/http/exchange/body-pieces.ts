import { clientDisconnected } from "../http-context.ts";
import { GrowingBuffer } from "./growing-buffer.ts";
import type { NodeServerRequest } from "./node-http.ts";
import type { Unread } from "./unread.ts";

/** Most bytes that are received ahead of the reader. */
const maxAhead = 64 * 1024;

/**
 * Reads a request body as it arrives. The bytes received ahead are in one buffer. Node's own iterator would keep an
 * object for each chunk, and the whole read that the chunk came in.
 *
 * @param unread counts these bytes
 */
export function bodyPieces(request: NodeServerRequest, unread?: Unread) {
  const source = request.bodySource;
  const received = new GrowingBuffer(unread);
  let isEnded = false;
  let isAborted = false;
  let wake = () => {};

  function onData(chunk: Buffer): void {
    received.append(chunk);
    if (received.length >= maxAhead) source.pause();
    wake();
  }
  function onEnd(): void {
    isEnded ||= !isAborted;
    wake();
  }
  function abort(): void {
    isAborted ||= !isEnded;
    wake();
  }

  /** Stops reading. The rest of the body is discarded; `discardRest` limits its size. */
  function stop(): void {
    abort();
    source.off("data", onData).off("end", onEnd).off("error", abort).off("close", abort);
    request.onBodyAborted(undefined);
    received.clear();
    source.resume();
  }

  /**
   * Yields the bytes that have arrived since the previous piece. Reads nothing before the first piece is requested.
   *
   * @throws ConnectError canceled when the end of the body will never arrive, or after `stop`
   */
  async function* read(): AsyncGenerator<Uint8Array> {
    if (request.isBodyAborted) abort();
    else if (source.readableEnded) onEnd();
    else if (source.destroyed) abort();
    request.onBodyAborted(abort);
    source.on("data", onData).on("end", onEnd).on("error", abort).on("close", abort);
    source.resume();
    try {
      for (;;) {
        if (isAborted) throw clientDisconnected();
        if (received.length > 0) {
          yield received.take();
          source.resume();
        } else if (isEnded) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      stop();
    }
  }
  return { pieces: read(), stop };
}
