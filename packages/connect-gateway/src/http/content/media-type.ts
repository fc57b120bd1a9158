import { memoize } from "../../call/memoize.ts";

const token = "[-!#$%&'*+.^_`|~0-9A-Za-z]+";
const typePattern = new RegExp(`[ \\t]*(${token}/${token})`, "y");

/** A parameter, which may be empty (RFC 9110, section 5.6.6). */
const parameterPattern = new RegExp(
  `[ \\t]*;[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?`,
  "y",
);

export interface MediaType {
  /** Type and subtype in lower case. */
  readonly essence: string;
  /** The charset parameter in lower case, if there is one. */
  readonly charset: string | undefined;
}

/** Reads a Content-Type header (RFC 9110, section 8.3); undefined when it is not a media type, or names two charsets. */
export function parseMediaType(header: string): MediaType | undefined {
  const text = header.trimEnd();
  typePattern.lastIndex = 0;
  const [, essence] = typePattern.exec(text) ?? [];
  if (essence === undefined) return undefined;
  let charset: string | undefined;
  let end = typePattern.lastIndex;
  while (end < text.length) {
    parameterPattern.lastIndex = end;
    const found = parameterPattern.exec(text);
    if (!found) return undefined;
    const [, name, bare, quoted = ""] = found;
    if (name?.toLowerCase() === "charset") {
      const value = (bare ?? quoted.replace(/\\(.)/g, "$1")).toLowerCase();
      if (value !== (charset ?? value)) return undefined;
      charset = value;
    }
    end = parameterPattern.lastIndex;
  }
  return { essence: essence.toLowerCase(), charset };
}

const longestRemembered = 100;

/** `null` for a header that is not a media type. Clients of one server send few media types. */
const remembered = memoize((header: string) => parseMediaType(header) ?? null, 100);

/** Does the same as {@link parseMediaType}, and remembers what it has read. */
export function mediaTypeOf(header: string | undefined): MediaType | undefined {
  if (!header) return undefined;
  if (header.length > longestRemembered) return parseMediaType(header);
  return remembered(header) ?? undefined;
}

/** Returns whether text of a media type is in UTF-8, which is the default. */
export function isUtf8({ charset }: MediaType): boolean {
  return charset === undefined || charset === "utf-8" || charset === "utf8";
}
