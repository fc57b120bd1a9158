import type { IntegerRange } from "../../call/integer-range.ts";

/**
 * Converts an integer to the type that protobuf-es uses for it.
 *
 * @param asString whether the field has the option jstype = JS_STRING
 * @returns undefined when the integer is out of range
 */
export function toLocalInteger(
  value: bigint,
  range: IntegerRange,
  asString: boolean,
): number | bigint | string | undefined {
  if (value < range.min || value > range.max) return undefined;
  if (!range.wide) return Number(value);
  return asString ? value.toString() : value;
}

const zero = 0x30;

/** More digits than any 64-bit integer has. */
const tooManyDigits = 24;

/**
 * Returns the exact integer value of a JSON number: `5`, `5.0`, `50e-1` and `0.5e1` are all 5.
 *
 * @param token a number by the grammar of RFC 8259
 * @returns undefined when it is not an integer, or has more digits than any integer type
 */
export function exactInteger(token: string): bigint | undefined {
  if (!/[.eE]/.test(token)) return token.length > tooManyDigits ? undefined : BigInt(token);
  const e = token.search(/[eE]/);
  const mantissa = e < 0 ? token : token.slice(0, e);
  const exponent = e < 0 ? 0 : Number(token.slice(e + 1));
  const point = mantissa.indexOf(".");
  const decimals = point < 0 ? 0 : mantissa.length - point - 1;
  const digits = mantissa.replace(".", "").replace(/^(-?)0+/, "$1");
  const significant = withoutTrailingZeros(digits);
  if (significant === "" || significant === "-") return 0n;
  const zeros = exponent - decimals + digits.length - significant.length;
  if (zeros < 0 || significant.length + zeros > tooManyDigits) return undefined;
  return BigInt(significant) * 10n ** BigInt(zeros);
}

/** Not `/0+$/`: that takes time quadratic in the length, because it starts again at every zero. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === zero) end--;
  return digits.slice(0, end);
}
