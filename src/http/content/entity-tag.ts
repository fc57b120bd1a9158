const tagPattern = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Returns whether an If-None-Match header matches an entity tag (RFC 9110, section 13.1.2).
 *
 * @param header the value of If-None-Match
 * @param tag the entity tag of the current representation, with its quotes
 */
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
