const pattern = /^([-!#$%&'*+.^_`|~0-9a-z]+\/[-!#$%&'*+.^_`|~0-9a-z]+)[ \t]*(;.*)?$/i;
const charsetPattern = /;[ \t]*charset=(?:"([^"]*)"|([^;\s]*))/i;

/** What a Content-Type field says. */
export interface MediaType {
  /** Type and subtype in lower case. */
  readonly essence: string;
  /** The charset parameter in lower case, if there is one. */
  readonly charset: string | undefined;
}

/**
 * Reads a Content-Type field (RFC 9110, section 8.3). Parameters other than charset say nothing here.
 *
 * @returns undefined for what is no media type
 */
export function parseMediaType(field: string): MediaType | undefined {
  const [, essence, parameters = ""] = pattern.exec(field.trim()) ?? [];
  if (essence === undefined) return undefined;
  const [, quoted, bare] = charsetPattern.exec(parameters) ?? [];
  return { essence: essence.toLowerCase(), charset: (quoted ?? bare)?.toLowerCase() };
}
