import { TLSSocket } from "node:tls";
import { type Counted, countBy } from "./counted.ts";
import { failExchange, type NodeServerResponse } from "./node-http.ts";

/**
 * Size of the pieces in which a long body is sent, in bytes; a shorter one is sent whole. Encryption and
 * HTTP/2 copy what is handed to them, whether or not the client reads: so the next piece has to wait until
 * the one before was taken. A multiple of 3, so that the pieces can be sent as base64.
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

/** Sends the rest of a response as fast as the client takes it, and ends it. */
export function endInPieces(response: NodeServerResponse, pieces: Iterator<Uint8Array>): void {
  // The request itself is over: what is left is up to the client, and bounded by the time-out for sending.
  if ("counter" in response) countBy(response as Counted, undefined);
  const send = () => {
    try {
      for (let next = pieces.next(); ; next = pieces.next()) {
        if (next.done) {
          response.end();
          return;
        }
        if (!response.write(next.value)) break;
      }
      response.once("drain", send);
    } catch (error) {
      failExchange(response, error);
    }
  };
  send();
}

/** Ends a response with a body that may be long. */
export function endWith(response: NodeServerResponse, body: Uint8Array): void {
  if (body.length <= pieceBytes) {
    response.end(body);
    return;
  }
  const isCopied = "bytesWritten" in response || response.req.socket instanceof TLSSocket;
  const size = isCopied ? pieceBytes : uncopiedPieceBytes;
  if (body.length <= size) response.end(body);
  else endInPieces(response, piecesOf(body, size));
}
