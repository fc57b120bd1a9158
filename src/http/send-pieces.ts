import { TLSSocket } from "node:tls";
import { type Counted, countBy } from "./counted.ts";
import { failExchange, type NodeServerResponse } from "./node-http.ts";

/**
 * Size of the pieces in which a long body is sent, in bytes; a shorter one is sent whole. Encryption and
 * HTTP/2 copy each piece, whether or not the client reads, so the next piece waits until the previous one
 * was taken. A multiple of 3, so that the pieces can be sent as base64.
 */
export const pieceBytes = 96 * 1024;

/** The same over HTTP/1 in cleartext, which copies nothing: there each piece costs more than it saves. */
const uncopiedPieceBytes = 8 * pieceBytes;

/** Cuts data into pieces. They are views of it. */
export function* piecesOf(data: Uint8Array, size = pieceBytes): Generator<Uint8Array> {
  for (let start = 0; start < data.length; start += size) {
    yield data.subarray(start, start + size);
  }
}

/** Puts short pieces together, so that they are handed over together. @param size least bytes of a group */
function* grouped(pieces: readonly Uint8Array[], size: number): Generator<readonly Uint8Array[]> {
  let group: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    group.push(piece);
    bytes += piece.length;
    if (bytes < size) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  yield group;
}

/** Sends the rest of a response as fast as the client takes it, and ends it. */
export function endInPieces(
  response: NodeServerResponse,
  pieces: Iterator<Uint8Array | readonly Uint8Array[]>,
): void {
  // The request itself is over: what is left is up to the client, and bounded by the time-out for sending.
  if ("counter" in response) countBy(response as Counted, undefined);
  const send = () => {
    try {
      for (let next = pieces.next(); ; next = pieces.next()) {
        if (next.done) {
          response.end();
          return;
        }
        if (!writePieces(response, next.value)) break;
      }
      response.once("drain", send);
    } catch (error) {
      failExchange(response, error);
    }
  };
  send();
}

/** @returns whether the client has taken all bytes sent so far */
function writePieces(
  response: NodeServerResponse,
  pieces: Uint8Array | readonly Uint8Array[],
): boolean {
  if (pieces instanceof Uint8Array) return response.write(pieces);
  let isTaken = true;
  if ("cork" in response) response.cork();
  for (const piece of pieces) isTaken = response.write(piece);
  if ("uncork" in response) response.uncork();
  return isTaken;
}

/** Ends a response with a body that may be long. */
export function endWith(
  response: NodeServerResponse,
  body: Uint8Array | readonly Uint8Array[],
): void {
  const isWhole = body instanceof Uint8Array;
  if (isWhole && body.length <= pieceBytes) {
    response.end(body);
    return;
  }
  const isCopied = "bytesWritten" in response || response.req.socket instanceof TLSSocket;
  const size = isCopied ? pieceBytes : uncopiedPieceBytes;
  if (!isWhole) endInPieces(response, grouped(body, size));
  else if (body.length <= size) response.end(body);
  else endInPieces(response, piecesOf(body, size));
}
