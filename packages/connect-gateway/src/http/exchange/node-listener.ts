import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { BlockList } from "node:net";
import { guardEmit } from "../../call/guard.ts";
import type { Connection, Exchange, Handler, ResponseHeaders, ThrowHandler } from "./exchange.ts";
import { Http1Exchange } from "./http1-exchange.ts";
import { Http2Exchange } from "./http2-exchange.ts";

/** A listener of the `request` event of a server of node:http, or of node:http2 with its compatibility API. */
export type NodeListener = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void;

/**
 * Returns a listener that passes each request to a handler. It limits no connections, and ignores requests whose clients have
 * disconnected already: their responses emit no more events.
 *
 * @param onThrow gets an error that a callback of a request has thrown; by default, it aborts the response
 * @param trustedProxies proxies whose X-Forwarded-For header is trusted
 */
export function nodeListener(
  handle: Handler,
  onThrow: ThrowHandler = (exchange) => exchange.destroy(),
  trustedProxies = new BlockList(),
): NodeListener {
  return (request, response) => {
    const isHttp2 = "stream" in request;
    const socket = isHttp2 ? request.stream.session?.socket : request.socket;
    const isClosed = isHttp2 ? request.stream.closed : response.destroyed;
    if (!socket || isClosed) return;
    const connection = { onThrow, trustedProxies, socket, peer: socket.remoteAddress };
    const exchange = isHttp2
      ? http2Exchange(request, response as Http2ServerResponse, connection)
      : new Http1Exchange(request, response as ServerResponse, connection);
    exchange.setHeaders(response.getHeaders() as ResponseHeaders);
    for (const emitter of isHttp2 ? [request.stream] : [request, response]) {
      guardEmit(emitter, (error) => onThrow(exchange, error));
    }
    exchange.once("close", () => exchange.release());
    void handle(exchange);
  };
}

/** Returns the error of a request that other code has begun to serve before a {@link nodeListener} got it. */
export function begunBefore({ headersSent, body, declaredLength }: Exchange): Error | undefined {
  if (headersSent) {
    return new Error("The response was begun before gateway.handler got the request.");
  }
  const isRead = body.readableDidRead || body.readableEncoding !== null;
  if (!isRead || declaredLength === 0) return undefined;
  return new Error(
    "The body was read or decoded before gateway.handler got the request. Mount the gateway before body parsers.",
  );
}

/** Uses the stream below the objects of the compatibility API, as node's listener does not read it before they do. */
function http2Exchange(
  { stream, headers, rawHeaders }: Http2ServerRequest,
  response: Http2ServerResponse,
  connection: Connection,
): Http2Exchange {
  stream.removeAllListeners("wantTrailers"); // It would send the trailers of the compatibility API, which are empty.
  const exchange = new Http2Exchange(stream, headers, rawHeaders, connection);
  exchange.headersSent = stream.headersSent;
  exchange.writableEnded = response.writableEnded; // That of the stream is set for HEAD, too.
  return exchange;
}
