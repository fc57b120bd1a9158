import type { IntegerRange } from "../../call/integer-range.ts";
import { InvalidInput } from "../../http/invalid-input.ts";

/** Converts an integer to the type that protobuf-es uses for it. @throws InvalidInput when it is undefined or out of range */
export type ToInteger = (value: bigint | undefined) => number | bigint | string;

/**
 * Makes the conversion for an integer type.
 *
 * @param asString whether the field has the option jstype = JS_STRING
 * @param reason message of the error
 */
export function integerConversion(
  { min, max, wide }: IntegerRange,
  asString: boolean,
  reason: string,
): ToInteger {
  return (value) => {
    if (value === undefined || value < min || value > max) throw new InvalidInput(reason);
    if (!wide) return Number(value);
    return asString ? value.toString() : value;
  };
}

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
  const [mantissa = "", exponent = "0"] = token.split(/[eE]/);
  const [whole = "", decimals = ""] = mantissa.split(".");
  const digits = (whole + decimals).replace(/^(-?)0+/, "$1");
  // Not `/0+$/`: that takes time quadratic in the length, because it starts again at every zero.
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  if (end === 0 || digits[end - 1] === "-") return 0n;
  const zeros = Number(exponent) - decimals.length + digits.length - end;
  if (zeros < 0 || end + zeros > tooManyDigits) return undefined;
  return BigInt(digits.slice(0, end)) * 10n ** BigInt(zeros);
}
