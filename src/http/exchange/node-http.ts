import { Http1Request, Http1Response } from "./http1-exchange.ts";
import type { Http2Response } from "./http2-exchange.ts";
import type { Http2Request } from "./http2-request.ts";

/** A request over HTTP/1 or HTTP/2. */
export type NodeServerRequest = Http1Request | Http2Request;

/** The response to a {@link NodeServerRequest}. */
export type NodeServerResponse = Http1Response | Http2Response;

/** The options of node's `createServer` for a server whose requests and responses the transcoder can serve. */
export const http1Classes = { IncomingMessage: Http1Request, ServerResponse: Http1Response };

/** Responds to a request. */
export type Handler = (
  request: NodeServerRequest,
  response: NodeServerResponse,
) => void | Promise<void>;

/**
 * Handles an error thrown by a callback that belongs to a request: makes it the error of the request. Never throws.
 */
export type ThrowHandler = (
  request: NodeServerRequest,
  response: NodeServerResponse,
  error: unknown,
) => void;

/**
 * Sends 100 Continue to a client that waits for it (RFC 9110, section 10.1.1). HTTP/1.0 does not have this response.
 */
export function sendContinue(response: NodeServerResponse): void {
  if (response.req.headers.expect !== undefined && response.req.httpVersion !== "1.0") {
    response.writeContinue();
  }
}

/** Returns the address of the client's end of the connection; undefined when the connection is closed. */
export function peerAddress(request: NodeServerRequest): string | undefined {
  return request.socket?.remoteAddress;
}

/** Returns the X-Forwarded-For header of a request. */
export function forwardedFor({ headers }: NodeServerRequest): string | undefined {
  const value = headers["x-forwarded-for"];
  return Array.isArray(value) ? value.join(",") : value;
}
