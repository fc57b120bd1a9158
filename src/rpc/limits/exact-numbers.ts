const char = { quote: 0x22, backslash: 0x5c, zero: 0x30, nine: 0x39 } as const;

/** The fewest digits of a number that JSON.parse can round to another integer. */
const fewestDigits = 16;

/** The longest sequence of digits that such a number has at least: a point can divide its digits. */
const digitsInRow = fewestDigits / 2;

/**
 * Whether JSON has a number, outside of strings, that JSON.parse can round to another integer: one of at least 16 digits
 * beyond 2^53 - 1. A rounded id is the id of another pet. RPC messages have no fractions.
 *
 * See https://www.rfc-editor.org/rfc/rfc8259#section-6
 */
export function hasInexactNumber(json: Uint8Array): boolean {
  if (!hasDigitsInRow(json)) return false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === char.quote) at = endOfString(json, at);
    else if (isDigit(byte)) {
      const begin = at;
      while (isPartOfNumber(json[at + 1])) at += 1;
      if (isInexact(json.subarray(begin, at + 1))) return true;
    }
  }
  return false;
}

/** A sequence of 8 digits has a digit at a multiple of 8, so this looks at few bytes of most messages. */
function hasDigitsInRow(json: Uint8Array): boolean {
  for (let at = 0; at < json.length; at += digitsInRow) {
    if (!isDigit(json[at])) continue;
    let [begin, end] = [at, at];
    while (isDigit(json[begin - 1])) begin -= 1;
    while (isDigit(json[end + 1])) end += 1;
    if (end - begin + 1 >= digitsInRow) return true;
  }
  return false;
}

/** @returns where the closing quote is, or the end of the text */
function endOfString(json: Uint8Array, begin: number): number {
  for (let at = begin + 1; at < json.length; at++) {
    if (json[at] === char.quote) return at;
    if (json[at] === char.backslash) at += 1;
  }
  return json.length;
}

function isInexact(number: Uint8Array): boolean {
  if (number.length < fewestDigits) return false;
  return Number(Buffer.from(number).toString("latin1")) > Number.MAX_SAFE_INTEGER;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= char.zero && byte <= char.nine;
}

/** Whether a number can go on with this byte: a digit, a point, an exponent, or its sign. */
function isPartOfNumber(byte: number | undefined): boolean {
  return isDigit(byte) || (byte !== undefined && ".eE+-".includes(String.fromCharCode(byte)));
}
