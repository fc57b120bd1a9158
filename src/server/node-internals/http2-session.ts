import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";

/** Gives a server a connection that it has not accepted itself. The `session` event is emitted before the return. */
export function startSession(server: Http2Server, socket: Socket): void {
  joinBuffered(socket);
  server.emit("connection", socket);
}

/**
 * Joins the pieces that a socket has buffered. A new session processes them one after another, and node throws when an
 * invalid one has ended the session before the last one.
 */
function joinBuffered(socket: Socket): void {
  const pieces: Buffer[] = [];
  for (let piece = socket.read(); piece !== null; piece = socket.read()) pieces.push(piece);
  if (pieces.length > 0) socket.unshift(pieces.length > 1 ? Buffer.concat(pieces) : pieces[0]);
}

/**
 * Watches the DATA frames of a request body, for which node has no event.
 *
 * @param onPiece called with the length of each frame, and with 0 at the end of the body, when the stream has it
 */
export function watchPieces(stream: ServerHttp2Stream, onPiece: (bytes: number) => void): void {
  const { push } = stream;
  stream.push = (piece, encoding) => {
    const isTaken = push.call(stream, piece, encoding);
    onPiece(piece?.length ?? 0);
    return isTaken;
  };
}

/** Makes the request and response of node's compatibility API, as a server with a `request` listener makes them. */
export function compatExchange(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
): { readonly request: Http2ServerRequest; readonly response: Http2ServerResponse } {
  return {
    request: new Http2ServerRequest(stream, headers, {}, rawHeaders),
    response: new Http2ServerResponse(stream),
  };
}
