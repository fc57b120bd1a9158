import type { IncomingMessage, ServerResponse } from "node:http";
import { constants } from "node:http2";
import type { Http1Request, Http1Response } from "./http1-exchange.ts";
import type { Http2Request, Http2Response } from "./http2-exchange.ts";

/** A request, of either version of HTTP. */
export type NodeServerRequest = IncomingMessage | Http1Request | Http2Request;

/** The answer to a {@link NodeServerRequest}. */
export type NodeServerResponse = ServerResponse | Http1Response | Http2Response;

/**
 * Returns when the header section of a request had arrived, on the clock of performance.now(), in milliseconds. A
 * request that node itself has made arrives now.
 */
export function arrivedAt(request: NodeServerRequest): number {
  return "arrivedAt" in request ? request.arrivedAt : performance.now();
}

/** Answers a request. */
export type Handler = (
  request: NodeServerRequest,
  response: NodeServerResponse,
) => void | Promise<void>;

/**
 * Handles an error that was thrown in a callback that node called on behalf of a request: makes it the
 * request's error. Never throws.
 */
export type ThrowHandler = (
  request: NodeServerRequest,
  response: NodeServerResponse,
  error: unknown,
) => void;

/**
 * Sends status and header fields, besides those that `setHeader` has set before.
 *
 * @param headers by name in lower case
 */
export function writeHead(
  response: NodeServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number>>,
): void {
  response.writeHead(status, headers);
}

/**
 * Tells a client that waits for it to send its body (RFC 9110, section 10.1.1). HTTP/1.0 has no such answer.
 */
export function sendContinue(request: NodeServerRequest, response: NodeServerResponse): void {
  if (request.headers.expect !== undefined && request.httpVersion !== "1.0") {
    response.writeContinue();
  }
}

/** The status of what was sent; what it would be, where nothing was. */
export function statusSent(response: NodeServerResponse): number {
  const sent = "stream" in response ? response.stream.sentHeaders?.[":status"] : undefined;
  return sent === undefined ? response.statusCode : Number(sent);
}

/** Sends a piece of an answer. @returns whether the client has taken what was sent so far */
export function writeChunk(response: NodeServerResponse, chunk: string | Uint8Array): boolean {
  return response.write(chunk);
}

/** Whether nobody is there any more to be answered. */
export function isGone(response: NodeServerResponse): boolean {
  return "stream" in response ? response.stream.destroyed : response.destroyed;
}

/** Address of the client's end of the connection; undefined when it is gone. */
export function peerAddress(request: NodeServerRequest): string | undefined {
  const socket = "stream" in request ? request.stream.session?.socket : request.socket;
  return socket?.remoteAddress;
}

/** Stands for the connection that a request came by; undefined when it is gone. */
export function connectionOf(request: NodeServerRequest): object | undefined {
  return "stream" in request ? request.stream.session : request.socket;
}

/** Ends an answer so that the client sees that it is not whole. */
export function breakOff(response: NodeServerResponse): void {
  if ("stream" in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

/** Makes an error that a callback threw the error of its request. */
export function failExchange(response: NodeServerResponse, error: unknown): void {
  if ("fail" in response) response.fail(error);
  else response.destroy();
}
