import type { Owner } from "../../call/shared-pool.ts";
import { TickBudget } from "../tick-budget.ts";
import type { Exchange } from "./exchange.ts";

/**
 * Size of the pieces in which a long body is sent, in bytes. Encryption and HTTP/2 copy each piece even if the client
 * does not read, so the next one waits until it was received. A multiple of 3, for base64.
 */
export const pieceBytes = 96 * 1024;

/** The same over HTTP/1 in cleartext. Nothing is copied there, so smaller pieces would only cost more. */
const uncopiedPieceBytes = 8 * pieceBytes;

/** The work of sending a long piece, in units of a short request. The kernel copies the piece. */
const stepsOfPiece = 16;

/** Limits the long pieces that one event-loop tick sends. Accounts take turns, and addresses without a key. */
const sendBudget = new TickBudget("long responses");

/** Divides data into pieces, which are views of it. */
export function* piecesOf(data: Uint8Array, size = pieceBytes): Generator<Uint8Array> {
  for (let start = 0; start < data.length; start += size) {
    yield data.subarray(start, start + size);
  }
}

/** Groups short pieces that are sent together. @param size smallest size of a group, in bytes */
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

/** Sends the rest of a response as fast as the client reads, and ends it. */
export function endInPieces(
  response: Exchange,
  pieces: Iterator<Uint8Array | readonly Uint8Array[]>,
): void {
  // The server's work is done. The rest depends on the client and is limited by the send timeout.
  response.handOver();
  const { owner } = response.record.values;
  const sendNext = () => {
    try {
      const next = pieces.next();
      if (next.done) response.end();
      else if (writePieces(response, next.value)) send();
      else response.once("drain", send);
    } catch (error) {
      response.fail(error);
    }
    return true;
  };
  const send = () => {
    if (mayBegin(owner)) sendNext();
    else sendBudget.defer(owner, sendNext, stepsOfPiece);
  };
  send();
}

/** Returns whether a piece can be sent now, because its owner's do not wait and this tick has time for it. */
function mayBegin(owner: Owner): boolean {
  if (sendBudget.hasDeferred && sendBudget.isWaiting(owner)) return false;
  return sendBudget.take(stepsOfPiece);
}

/** @returns whether the client has received all bytes sent so far */
function writePieces(response: Exchange, pieces: Uint8Array | readonly Uint8Array[]): boolean {
  if (pieces instanceof Uint8Array) return response.write(pieces);
  let isTaken = true;
  response.cork();
  for (const piece of pieces) isTaken = response.write(piece);
  response.uncork();
  return isTaken;
}

export function endWith(response: Exchange, body: Uint8Array | readonly Uint8Array[]): void {
  const isWhole = body instanceof Uint8Array;
  if (isWhole && body.length <= pieceBytes) {
    response.end(body);
    return;
  }
  const isCopied = response.httpVersion === "2.0" || response.isEncrypted;
  const size = isCopied ? pieceBytes : uncopiedPieceBytes;
  if (!isWhole) endInPieces(response, grouped(body, size));
  else if (body.length <= size && mayBegin(response.record.values.owner)) {
    response.end(body);
  } else endInPieces(response, piecesOf(body, size));
}
