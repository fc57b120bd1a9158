import type { NodeServerResponse } from "../exchange/node-http.ts";
import { matchesTag } from "./entity-tag.ts";

/** Returns whether the method is GET or HEAD, whose responses caches can store. */
function isRead({ req }: NodeServerResponse): boolean {
  return req.method === "GET" || req.method === "HEAD";
}

/**
 * Returns the Cache-Control header of a response (RFC 9111, section 5.2.2). Only the client may store a response with
 * an entity tag, and must revalidate it before each use. Any other response must not be stored, because it belongs to
 * one caller and can change at any time.
 *
 * @param tag the response's entity tag, if it has one
 * @returns no header for methods other than GET and HEAD, or when the response has a Cache-Control header already
 */
export function cacheControl(response: NodeServerResponse, tag?: string): Record<string, string> {
  if (!isRead(response) || response.hasHeader("cache-control")) return {};
  return { "cache-control": tag === undefined ? "no-store" : "private, no-cache" };
}

/**
 * Returns the Vary header of a response, extended by a request header (RFC 9110, section 12.5.5).
 *
 * @param name the request header on which the response depends
 * @param headers headers that will be set on the response
 */
export function varyOn(
  name: string,
  response: NodeServerResponse,
  headers: Readonly<Record<string, string | number>>,
): string {
  const before = headers.vary ?? response.getHeader("vary");
  return before === undefined ? name : `${before}, ${name}`;
}

/**
 * Returns whether the response to a GET or HEAD request is 304, because the client has the current version already.
 *
 * @param tag the response's entity tag, with its quotes
 */
export function isNotModified(response: NodeServerResponse, tag: string): boolean {
  const known = response.req.headers["if-none-match"];
  return known !== undefined && known !== "" && isRead(response) && matchesTag(known, tag);
}
