const tagPattern = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Whether a client has a representation already (RFC 9110, section 13.1.2).
 *
 * @param field If-None-Match, as sent
 * @param tag the entity tag of what would be sent, with its quotes
 */
export function matchesTag(field: string, tag: string): boolean {
  if (field.trim() === "*") return true;
  // Weak comparison: W/"1" is as good as "1" (section 8.8.3.2).
  const weak = weakenTag(tag);
  return (field.match(tagPattern) ?? []).some((candidate) => weakenTag(candidate) === weak);
}

/**
 * The tag of a representation that is not the same byte by byte in every content coding, as a strong
 * one would promise (section 8.8.1).
 */
export function weakenTag(tag: string): string {
  return tag.startsWith("W/") ? tag : `W/${tag}`;
}
