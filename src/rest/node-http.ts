import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

/** A request as node:http, or the compatibility API of node:http2, has it. */
export type NodeServerRequest = IncomingMessage | Http2ServerRequest;

/** The answer to a {@link NodeServerRequest}. */
export type NodeServerResponse = ServerResponse | Http2ServerResponse;

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
