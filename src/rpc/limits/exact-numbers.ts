import { char, isDigit } from "./json-bytes.ts";

/**
 * The fewest digits of a number that JSON.parse can round to an int64: 9223372035e9 is one. With more zeros in the
 * exponent, 2^63 leaves room for fewer digits.
 */
const fewestDigits = 10;

/** The fewest digits of such a number without a point and an exponent. */
const fewestPlainDigits = 16;

/** The longest sequence of digits that such a number has at least: a point can divide its digits. */
const digitsInRow = fewestDigits / 2;

/** The parts of a number of JSON without its sign. */
const numberParts = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Whether a number can continue with this byte: a digit, a point, an exponent, or its sign. */
const continuesNumber: readonly boolean[] = Array.from({ length: 256 }, (_, byte) =>
  "0123456789.eE+-".includes(String.fromCharCode(byte)),
);

/**
 * Whether JSON has a number, outside of strings, that JSON.parse can round to another integer: one beyond 2^53 - 1 with
 * at least 10 digits, or a fraction such as 0.99999999999999999. A rounded id is the id of another pet. RPC messages have
 * no fractions.
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
      while (isDigit(json[at + 1])) at += 1;
      let fewest = fewestPlainDigits;
      for (; continuesNumber[json[at + 1] ?? 0]; at++) fewest = fewestDigits;
      if (at + 1 - begin >= fewest && isInexact(json.subarray(begin, at + 1))) return true;
    }
  }
  return false;
}

/** A sequence of 5 digits has a digit at a multiple of 5, so this looks at few bytes of many messages. */
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
  const text = Buffer.from(number).toString("latin1");
  const value = Number(text);
  if (value > Number.MAX_SAFE_INTEGER) return true;
  return Number.isInteger(value) && isFraction(text);
}

/** Whether a number has digits after the point, other than zeros, when it is written without an exponent. */
function isFraction(number: string): boolean {
  const [, whole = "", decimals = "", exponent = "0"] = numberParts.exec(number) ?? [];
  const places = decimals.length - Number(exponent);
  return places > 0 && /[1-9]/.test((whole + decimals).slice(-places));
}
