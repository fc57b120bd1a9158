import type { IncomingMessage, ServerResponse } from "node:http";
import { newRequestRecord, type RequestRecord } from "../../call/request-record.ts";
import type { Http1Request, Http1Response } from "./http1-exchange.ts";
import type { Http2Request, Http2Response } from "./http2-exchange.ts";
import type { Unread } from "./unread.ts";

/** A request over HTTP/1 or HTTP/2. */
export type NodeServerRequest = IncomingMessage | Http1Request | Http2Request;

/** The response to a {@link NodeServerRequest}. */
export type NodeServerResponse = ServerResponse | Http1Response | Http2Response;

/**
 * Returns the time at which the header section of a request was complete, on the clock of performance.now(), in
 * milliseconds. For a request of node's own class, which does not record it, this is the current time.
 */
export function arrivedAt(request: NodeServerRequest): number {
  return "arrivedAt" in request ? request.arrivedAt : performance.now();
}

/** Returns the record of a request. A response of node's own class has none: its record is not read. */
export function recordOf(response: NodeServerResponse): RequestRecord {
  return "record" in response ? response.record : newRequestRecord(0);
}

/** Returns the account of a connection's memory; undefined when it has none. */
export function unreadOf(response: NodeServerResponse): Unread | undefined {
  return "unread" in response ? response.unread : undefined;
}

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
export function sendContinue(request: NodeServerRequest, response: NodeServerResponse): void {
  if (request.headers.expect !== undefined && request.httpVersion !== "1.0") {
    response.writeContinue();
  }
}

/** Returns the status that was sent, or the status set so far while nothing was sent. */
export function statusSent(response: NodeServerResponse): number {
  const sent = "stream" in response ? response.stream.sentHeaders?.[":status"] : undefined;
  return sent === undefined ? response.statusCode : Number(sent);
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

/** Returns an object that identifies the connection of a request; undefined when the connection is closed. */
export function connectionOf(request: NodeServerRequest): object | undefined {
  return "stream" in request ? request.stream.session : request.socket;
}

/** Makes an error thrown by a callback the error of its request. */
export function failExchange(response: NodeServerResponse, error: unknown): void {
  if ("fail" in response) response.fail(error);
  else response.destroy();
}
