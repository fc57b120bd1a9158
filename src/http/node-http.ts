import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";

/** A request as node:http, or the compatibility API of node:http2, has it. */
export type NodeServerRequest = IncomingMessage | Http2ServerRequest;

/** The answer to a {@link NodeServerRequest}. */
export type NodeServerResponse = ServerResponse | Http2ServerResponse;

/** Answers a request. */
export type Handler = (
  request: NodeServerRequest,
  response: NodeServerResponse,
) => void | Promise<void>;

/**
 * Sends status and header fields, besides those that `setHeader` has set before.
 *
 * @param headers by name in lower case
 */
export function writeHead(
  response: NodeServerResponse,
  status: number,
  headers: Record<string, string | number>,
): void {
  // Both take the same arguments, but TypeScript can't call a union of overloads.
  (response as ServerResponse).writeHead(status, headers);
}

/** Sends a piece of an answer. @returns whether the client has taken what was sent so far */
export function writeChunk(response: NodeServerResponse, chunk: string | Uint8Array): boolean {
  return (response as ServerResponse).write(chunk);
}

/** Whether nobody is there any more to be answered. */
export function isGone(response: NodeServerResponse): boolean {
  return "stream" in response ? response.stream.destroyed : response.destroyed;
}

/** Ends an answer so that the client sees that it is not whole. */
export function breakOff(response: NodeServerResponse): void {
  if ("stream" in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}
