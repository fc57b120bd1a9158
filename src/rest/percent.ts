/** Why a percent-encoded text can't be decoded; part of a message, so it says what to do. */
export type PercentFault = { readonly fault: string };

const malformed: PercentFault = {
  fault: "is not valid percent-encoding; write % itself as %25",
};
const notUtf8: PercentFault = { fault: "is not UTF-8 when percent-decoded" };

/**
 * Decodes all of a path segment or query component (RFC 3986, section 2.1).
 *
 * @returns the text, or why there is none: `%` without two hex digits, or bytes that are not UTF-8,
 * overlong forms and encoded surrogates among them
 */
export function percentDecode(raw: string): string | PercentFault {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return /%(?![0-9A-Fa-f]{2})/.test(raw) ? malformed : notUtf8;
  }
}

/**
 * Decodes a path that is the value of a variable of several segments: `%2F` and `%2f` stay as they
 * are, so that an encoded slash is not taken for one that separates (google/api/http.proto).
 *
 * @returns like {@link percentDecode}
 */
export function percentDecodeKeepingSlashes(raw: string): string | PercentFault {
  if (!raw.includes("%")) return raw;
  // An encoded slash can't be a part of an encoded character of several bytes, so the pieces between
  // such slashes can be decoded each by itself.
  let text = "";
  for (const piece of raw.split(/(%2f)/i)) {
    if (piece.toUpperCase() === "%2F") {
      text += piece;
      continue;
    }
    const decoded = percentDecode(piece);
    if (typeof decoded !== "string") return decoded;
    text += decoded;
  }
  return text;
}

const plain = /^[-_.~0-9A-Za-z]*$/;
const token = /%[0-9A-Fa-f]{2}|./gs;

/**
 * One spelling for all equivalent spellings of a literal: reserved characters percent-encoded, others
 * not, hex digits in upper case (google/api/http.proto, `LITERAL`; RFC 3986, section 6.2.2). Works on
 * bytes, so it does not mind what is not UTF-8, and leaves a stray `%` as it is: no literal has one.
 *
 * @param raw one segment of a path, as sent, without slashes
 */
export function canonicalLiteral(raw: string): string {
  return plain.test(raw) ? raw : raw.replace(token, canonicalToken);
}

function canonicalToken(text: string): string {
  if (text.length === 3) {
    const char = String.fromCharCode(Number.parseInt(text.slice(1), 16));
    return plain.test(char) ? char : text.toUpperCase();
  }
  if (text === "%" || plain.test(text)) return text;
  return `%${text.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
