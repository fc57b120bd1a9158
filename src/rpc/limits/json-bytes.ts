/** The bytes that JSON has a meaning for, outside of literals. */
export const char = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  zero: 0x30,
  nine: 0x39,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

/** Whether a byte is a digit. @param byte undefined outside of a text */
export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= char.zero && byte <= char.nine;
}
