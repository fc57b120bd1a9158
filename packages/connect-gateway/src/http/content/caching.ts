import type { Exchange } from "../exchange/exchange.ts";

/** Returns whether caches can store the response. */
function isRead({ method }: Exchange): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * Returns the Cache-Control header of a response (RFC 9111, section 5.2.2). Only the client may store a response with an
 * entity tag, and must revalidate it before each use. Any other belongs to one caller and can change at any time.
 *
 * @returns no header for methods other than GET and HEAD, or when the response has a Cache-Control header already
 */
export function cacheControl(response: Exchange, tag?: string): Record<string, string> {
  if (!isRead(response) || response.hasHeader("cache-control")) return {};
  return { "cache-control": tag === undefined ? "no-store" : "private, no-cache" };
}

/** Returns the Vary header of a response, extended by a request header. @param headers headers that will be set, too */
export function varyOn(
  name: string,
  response: Exchange,
  headers: Readonly<Record<string, string | number>>,
): string {
  const before = headers.vary ?? response.getHeader("vary");
  return before === undefined ? name : `${before}, ${name}`;
}

/** Returns whether a response is 304, because the client has the current version. @param tag with its quotes */
export function isNotModified(response: Exchange, tag: string): boolean {
  const known = response.headers["if-none-match"];
  return known !== undefined && known !== "" && isRead(response) && matchesTag(known, tag);
}

const tagPattern = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** Returns whether an If-None-Match header matches an entity tag with its quotes (RFC 9110, section 13.1.2). */
export function matchesTag(header: string, tag: string): boolean {
  if (header.trim() === "*") return true;
  // Weak comparison: W/"1" equals "1" (section 8.8.3.2).
  const weak = weakenTag(tag);
  return (header.match(tagPattern) ?? []).some((candidate) => weakenTag(candidate) === weak);
}

/**
 * Makes an entity tag weak. A strong tag would promise the same bytes, but each content coding of a representation has
 * other bytes (RFC 9110, section 8.8.1).
 */
export function weakenTag(tag: string): string {
  return tag.startsWith("W/") ? tag : `W/${tag}`;
}
