import { GrowingBuffer } from "./growing-buffer.ts";
import { clientLeft } from "./http-call.ts";
import type { NodeServerRequest } from "./node-http.ts";

/** Bytes that are received ahead of the reader. */
const maxAhead = 64 * 1024;

/** A request body that is read as it arrives. */
export interface BodyPieces {
  /**
   * Yields the bytes that have arrived since the previous piece. Reads nothing before the first piece is requested.
   *
   * @throws ConnectError canceled when the body will never be whole
   */
  readonly pieces: AsyncGenerator<Uint8Array>;
  /** Says that the body will never be whole. */
  cut(): void;
}

/**
 * Reads a request body as it arrives. node's own iterator keeps an object for each chunk that the client sends,
 * and the read that it came in; here what is received ahead is one buffer.
 */
export function bodyPieces(request: NodeServerRequest): BodyPieces {
  const source = "stream" in request ? request.stream : request;
  const received = new GrowingBuffer();
  let isEnded = false;
  let isCut = false;
  let wake = () => {};

  function onData(chunk: Buffer): void {
    received.append(chunk);
    if (received.length >= maxAhead) source.pause();
    wake();
  }
  function onEnd(): void {
    isEnded = true;
    wake();
  }
  function cut(): void {
    isCut = true;
    wake();
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    isEnded ||= source.readableEnded;
    isCut ||= !isEnded && source.destroyed;
    source.on("data", onData).on("end", onEnd).on("error", cut).on("close", cut);
    source.resume();
    try {
      for (;;) {
        if (received.length > 0) {
          yield received.take();
          source.resume();
        } else if (isEnded) return;
        else if (isCut) throw clientLeft();
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      source.off("data", onData).off("end", onEnd).off("error", cut).off("close", cut);
      // The rest is thrown away. leaveRest bounds it.
      source.resume();
    }
  }
  return { pieces: read(), cut };
}
