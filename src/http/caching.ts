import { matchesTag } from "./entity-tag.ts";
import type { NodeServerRequest, NodeServerResponse } from "./node-http.ts";

/** A request and its response. */
interface Pair {
  readonly request: NodeServerRequest;
  readonly response: NodeServerResponse;
}

/** Whether the request only reads, so that a cache could store its response. */
function isRead({ request }: Pair): boolean {
  return request.method === "GET" || request.method === "HEAD";
}

/**
 * Returns the Cache-Control header of a response (RFC 9111, section 5.2.2). A response with an entity tag may be
 * stored by the client alone and must be revalidated before each use; any other must not be stored. Responses
 * belong to one caller and can change at any time.
 *
 * @param tag the response's entity tag
 * @returns no header for methods other than GET and HEAD, which caches do not store, or when Cache-Control is set
 * already
 */
export function cacheControl(exchange: Pair, tag: string | undefined): Record<string, string> {
  if (!isRead(exchange) || exchange.response.hasHeader("cache-control")) return {};
  return { "cache-control": tag === undefined ? "no-store" : "private, no-cache" };
}

/**
 * Returns a Vary header that adds a header of the request (RFC 9110, section 12.5.5) to those that the response
 * names already.
 *
 * @param headers other headers of the response, not yet set on it
 */
export function varyOn(
  field: string,
  { response }: Pick<Pair, "response">,
  headers: Readonly<Record<string, string | number>>,
): string {
  const before = headers.vary ?? response.getHeader("vary");
  return before === undefined ? field : `${before}, ${field}`;
}

/**
 * Returns whether a GET or HEAD request gets 304, because the client has the current version already.
 *
 * @param tag the response's entity tag, with its quotes
 */
export function isNotModified(exchange: Pair, tag: string): boolean {
  const known = exchange.request.headers["if-none-match"];
  return known !== undefined && known !== "" && isRead(exchange) && matchesTag(known, tag);
}
