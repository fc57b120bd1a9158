import type { Exchange } from "../exchange/exchange.ts";

function isRead({ method }: Exchange): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * Sets the Cache-Control header of a response to GET or HEAD, unless it is set (RFC 9111, section 5.2.2). Only the client may
 * store a response with an entity tag, and must revalidate it before each use. Any other belongs to one caller and can change
 * at any time.
 */
export function setCacheControl(response: Exchange, tag?: string): void {
  if (!isRead(response) || response.hasHeader("cache-control")) return;
  response.setHeader("cache-control", tag === undefined ? "no-store" : "private, no-cache");
}

export function varyOn(name: string, response: Exchange): void {
  const before = response.getHeader("vary");
  response.setHeader("vary", before === undefined ? name : `${before}, ${name}`);
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

/** Makes an entity tag weak: a strong one would promise the same bytes for each content coding (RFC 9110, section 8.8.1). */
export function weakenTag(tag: string): string {
  return tag.startsWith("W/") ? tag : `W/${tag}`;
}
