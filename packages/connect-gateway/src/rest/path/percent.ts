import { InvalidInput } from "../../http/invalid-input.ts";

/** Decodes a path segment or query component (RFC 3986, section 2.1). @throws InvalidInput for a malformed `%`, or unless it is UTF-8 */
export function percentDecode(raw: string): string {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new InvalidInput(
      /%(?![0-9A-Fa-f]{2})/.test(raw)
        ? "has invalid percent-encoding; encode % itself as %25"
        : "must be UTF-8 after percent-decoding",
    );
  }
}

/** Decodes several segments. `%2F` stays, so that it differs from a separator (google/api/http.proto). @throws InvalidInput */
export function percentDecodeKeepingSlashes(raw: string): string {
  return percentDecode(raw.replaceAll(/%(2f)/gi, "%25$1"));
}

const plain = /^[-_.~0-9A-Za-z]*$/;

/**
 * Returns the canonical spelling of a literal: reserved characters are percent-encoded, others are not, and hex digits are
 * in upper case (google/api/http.proto, `LITERAL`; RFC 3986, section 6.2.2). It works on bytes, so the text need not be
 * UTF-8. It keeps a `%` without two hex digits; no literal contains one.
 *
 * @param raw one segment of a path, as sent, without slashes
 */
export function canonicalLiteral(raw: string): string {
  if (plain.test(raw)) return raw;
  const decoded = raw.replaceAll(/%([0-9A-Fa-f]{2})/g, (encoded, hex) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return plain.test(char) ? char : encoded.toUpperCase();
  });
  return decoded.replaceAll(/[^-_.~0-9A-Za-z%]/g, (char) => {
    return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
}
