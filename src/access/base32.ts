import { randomBytes } from "node:crypto";

/** Crockford's base 32 in lower case: no i, l, o, u, so nothing is misread. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** A character class of a regular expression that matches one digit. */
export const base32Class = "[0-9a-hjkmnp-tv-z]";

/**
 * Random digits from the system's random source.
 *
 * @param length how many digits, each worth 5 bits
 */
export function randomBase32(length: number): string {
  // 256 is a multiple of 32: the low five bits of a random byte are uniform.
  return Array.from(randomBytes(length), (byte) => alphabet.charAt(byte & 31)).join("");
}

/**
 * An unsigned integer below 2^32, most significant digit first.
 *
 * @param length how many digits; 7 hold any such integer
 */
export function encodeBase32(value: number, length: number): string {
  let digits = "";
  let rest = value;
  for (let i = 0; i < length; i++) {
    digits = alphabet.charAt(rest % 32) + digits;
    rest = Math.floor(rest / 32);
  }
  return digits;
}
