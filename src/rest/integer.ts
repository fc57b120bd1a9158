import { ScalarType } from "@bufbuild/protobuf";

/** What an integer type of protobuf can hold. */
export interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
  /** Whether it has 64 bits, so that protobuf-es keeps it as a bigint. */
  readonly wide: boolean;
}

const int32: IntegerRange = { min: -(2n ** 31n), max: 2n ** 31n - 1n, wide: false };
const uint32: IntegerRange = { min: 0n, max: 2n ** 32n - 1n, wide: false };
const int64: IntegerRange = { min: -(2n ** 63n), max: 2n ** 63n - 1n, wide: true };
const uint64: IntegerRange = { min: 0n, max: 2n ** 64n - 1n, wide: true };

/** The integer types of protobuf. */
export const integerRanges: ReadonlyMap<ScalarType, IntegerRange> = new Map([
  [ScalarType.INT32, int32],
  [ScalarType.SINT32, int32],
  [ScalarType.SFIXED32, int32],
  [ScalarType.UINT32, uint32],
  [ScalarType.FIXED32, uint32],
  [ScalarType.INT64, int64],
  [ScalarType.SINT64, int64],
  [ScalarType.SFIXED64, int64],
  [ScalarType.UINT64, uint64],
  [ScalarType.FIXED64, uint64],
]);

/** Says a range in a message. */
export function rangeText({ min, max }: IntegerRange): string {
  return `from ${min} to ${max}`;
}

/**
 * Brings an integer into the form in which protobuf-es keeps it.
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

/** More digits than any integer of 64 bits has. */
const tooManyDigits = 24;

/**
 * The integer that a JSON number stands for, exactly: `5`, `5.0`, `50e-1` and `0.5e1` are all 5.
 *
 * @param token a number by the grammar of RFC 8259
 * @returns undefined when it is not an integer, or has more digits than any integer type holds
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

/** `/0+$/` would start over at every zero: its cost grows with the square of the length. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === zero) end--;
  return digits.slice(0, end);
}
