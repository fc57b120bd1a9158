import { clientDisconnected } from "../http-context.ts";
import { type Exchange, sendContinue } from "./exchange.ts";
import { GrowingBuffer } from "./growing-buffer.ts";

/** Most bytes that are received ahead of the reader. */
const maxAhead = 64 * 1024;

/**
 * Reads a whole request body. Holds at most twice the bytes received so far, even if the client sends tiny pieces.
 *
 * @param maxBytes the largest allowed body, in bytes
 * @param tooLarge makes the error for a larger body from its first bytes. It is thrown as soon as the limit is exceeded
 * @returns the body, or a promise of it if its end has not arrived yet
 * @throws ConnectError canceled when the client disconnects
 */
export function readBody(
  exchange: Exchange,
  maxBytes: number,
  tooLarge: (start: Uint8Array) => Error,
): Promise<Uint8Array> | Uint8Array {
  // No event follows if the client has disconnected already.
  if (exchange.destroyed || exchange.isBodyAborted) return Promise.reject(clientDisconnected());
  const whole = exchange.takeBody();
  if (whole) return whole.length > maxBytes ? Promise.reject(tooLarge(whole)) : whole;
  if (exchange.body.readableEnded) return new Uint8Array();
  sendContinue(exchange);
  return new Promise((resolve, reject) => {
    const received = new GrowingBuffer(exchange.unread);
    const fail = (error: unknown) => {
      stop();
      received.clear();
      reject(error);
    };
    const onData = (piece: Buffer) => {
      if (received.length + piece.length <= maxBytes) received.append(piece);
      else fail(tooLarge(received.length > 0 ? received.bytes : piece));
    };
    const onEnd = (end: End) => {
      if (end === "aborted") return fail(clientDisconnected());
      stop();
      resolve(received.take());
    };
    const stop = listen(exchange, onData, onEnd, fail);
    exchange.body.resume(); // Other code may have paused it.
  });
}

/** Reads a request body as it arrives, into one buffer. Node's own iterator would keep an object and a whole read for each chunk. */
export function bodyPieces(exchange: Exchange) {
  const { body } = exchange;
  const received = new GrowingBuffer(exchange.unread);
  let end: End | undefined;
  let wake = () => {};
  let unlisten = () => {};

  function onData(piece: Buffer): void {
    received.append(piece);
    if (received.length >= maxAhead) body.pause();
    wake();
  }
  function onEnd(how: End): void {
    end ??= how;
    wake();
  }

  /** Stops reading. The rest of the body is discarded; `discardRest` limits its size. */
  function stop(): void {
    onEnd("aborted");
    unlisten();
    received.clear();
    body.resume();
  }

  /** Yields the bytes since the previous piece. @throws ConnectError canceled when the end will never arrive, or after `stop` */
  async function* read(): AsyncGenerator<Uint8Array> {
    if (body.readableEnded) onEnd("whole");
    else if (body.destroyed) onEnd("aborted");
    unlisten = listen(exchange, onData, onEnd, (error) => exchange.fail(error));
    body.resume();
    try {
      while (end !== "aborted" && !exchange.isBodyAborted) {
        if (received.length > 0) {
          yield received.take();
          body.resume();
        } else if (end) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
      throw clientDisconnected();
    } finally {
      stop();
    }
  }
  return { pieces: read(), stop };
}

/** How a body ends: an aborted one lacks its end, which will never arrive. */
type End = "whole" | "aborted";

/** Listens to the body of a request until the returned function is called. @param onThrow gets an error that `onData` throws */
function listen(
  exchange: Exchange,
  onData: (piece: Buffer) => void,
  onEnd: (end: End) => void,
  onThrow: (error: unknown) => void,
): () => void {
  const { body } = exchange;
  exchange.countBody();
  const data = (piece: Buffer) => {
    try {
      onData(piece);
    } catch (error) {
      onThrow(error);
    }
  };
  const end = () => onEnd(exchange.isBodyAborted ? "aborted" : "whole");
  const close = () => onEnd("aborted");
  body.on("data", data).on("end", end).on("close", close);
  return () => void body.off("data", data).off("end", end).off("close", close);
}
