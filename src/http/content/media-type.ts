const pattern = /^([-!#$%&'*+.^_`|~0-9a-z]+\/[-!#$%&'*+.^_`|~0-9a-z]+)[ \t]*(;.*)?$/i;
const charsetPattern = /;[ \t]*charset=(?:"([^"]*)"|([^;\s]*))/i;

/** A media type, as in a Content-Type header. */
export interface MediaType {
  /** Type and subtype in lower case. */
  readonly essence: string;
  /** The charset parameter in lower case, if there is one. */
  readonly charset: string | undefined;
}

/**
 * Reads a Content-Type header (RFC 9110, section 8.3). Ignores parameters other than charset.
 *
 * @returns undefined when the header is not a media type
 */
export function parseMediaType(header: string): MediaType | undefined {
  const [, essence, parameters = ""] = pattern.exec(header.trim()) ?? [];
  if (essence === undefined) return undefined;
  const [, quoted, bare] = charsetPattern.exec(parameters) ?? [];
  return { essence: essence.toLowerCase(), charset: (quoted ?? bare)?.toLowerCase() };
}
