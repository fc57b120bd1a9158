import { randomBytes } from "node:crypto";

/** Crockford's Base32 in lower case. It has no i, l, o or u, which are easy to misread. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** A character class of a regular expression that matches one digit. */
export const base32Class = "[0-9a-hjkmnp-tv-z]";

/** Returns random digits of 5 bits each, from a cryptographic source. @param length the number of digits */
export function randomBase32(length: number): string {
  // 256 is a multiple of 32: the low five bits of a random byte are uniform.
  return Array.from(randomBytes(length), (byte) => alphabet.charAt(byte & 31)).join("");
}

/** Encodes an integer below 2^32, most significant digit first. @param length the number of digits; 7 are always enough */
export function encodeBase32(value: number, length: number): string {
  let digits = "";
  let rest = value;
  for (let i = 0; i < length; i++) {
    digits = alphabet.charAt(rest % 32) + digits;
    rest = Math.floor(rest / 32);
  }
  return digits;
}
