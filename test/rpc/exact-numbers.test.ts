import fc from "fast-check";
import { expect, it } from "vitest";
import { hasInexactNumber } from "../../src/rpc/limits/exact-numbers.ts";

const isFound = (json: string) => hasInexactNumber(Buffer.from(json));

/** Ways to write an integer as a number of JSON. */
const forms: readonly ((integer: bigint) => string)[] = [
  String,
  (integer) => `${integer}.0`,
  (integer) => `${integer}e0`,
  (integer) => (integer === 0n ? "0" : `${integer}0E-1`),
  (integer) =>
    String(integer).replace(/^(-?\d)(\d+)$/, (_, first, rest) => {
      return `${first}.${rest}e+${rest.length}`;
    }),
  (integer) => withFewDigits(integer, (digits) => digits.length),
  (integer) => withFewDigits(integer, (digits) => Math.ceil(digits.length / 2)),
];

/** Writes an integer without the zeros at its end. @param wholeOf how many of its digits to write before a point */
function withFewDigits(integer: bigint, wholeOf: (digits: string) => number): string {
  const [, sign = "", digits = "", zeros = ""] = /^(-?)(\d+?)(0*)$/.exec(String(integer)) ?? [];
  const whole = wholeOf(digits);
  const decimals = digits.slice(whole);
  const point = decimals === "" ? "" : ".";
  return `${sign}${digits.slice(0, whole)}${point}${decimals}e${zeros.length + decimals.length}`;
}

const integers = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }),
  fc
    .tuple(fc.bigInt({ min: 1n, max: 2n ** 63n / 10n ** 9n }), fc.integer({ min: 0, max: 9 }))
    .map(([integer, zeros]) => integer * 10n ** BigInt(zeros)),
);

/** Text around a number, with digits, quotes and escapes. */
const texts = fc.string({
  unit: fc.constantFrom("1", "9", '"', "\\", ",", "{", "[", "é", "7".repeat(9)),
});

it("finds every number that JSON.parse rounds to another integer, whatever surrounds it", () => {
  fc.assert(
    fc.property(integers, fc.constantFrom(...forms), texts, texts, (integer, form, left, right) => {
      const json = `{${JSON.stringify(left)}:[${form(integer)}],"z":${JSON.stringify(right)}}`;
      const [value] = Object.values(JSON.parse(json) as Record<string, number[]>)[0] ?? [];
      if (value === undefined || BigInt(value) !== integer)
        expect([json, isFound(json)]).toEqual([json, true]);
    }),
    { numRuns: 3_000 },
  );
});

it("finds no number up to 2^53 - 1, and none in strings", () => {
  const safe = fc.maxSafeInteger();
  fc.assert(
    fc.property(safe, integers, texts, (number, integer, text) => {
      const json = JSON.stringify({ [text]: number, id: `${integer}`, list: [text, number] });
      expect([json, isFound(json)]).toEqual([json, false]);
    }),
    { numRuns: 3_000 },
  );
});

it.each(["9223372035e9", "92233.72035e14", "9999999999999e5", "-9223372035E+9"])(
  "finds %s, which has few digits",
  (number) => {
    expect(isFound(`{"petId":${number}}`)).toBe(true);
  },
);

it.each([
  ["0.99999999999999999", true],
  ["1.00000000000000001", true],
  ["-9007199254740991.2", true],
  ["99999999999999999e-17", true],
  ["1.0000000000000000", false],
  ["10000000000000000e-16", false],
  ["9007199254740991.0", false],
  ["0.1234567890123", false],
])("finds a fraction that JSON.parse rounds to an integer: %s is one: %j", (number, isOne) => {
  expect(isFound(`[${number}]`)).toBe(isOne);
});

it.each(["", '"', '"\\', "9".repeat(100), '{"a":"9007199254740993', "[9007199254740993"])(
  "ends for a text that is not JSON: %j",
  (text) => {
    expect(isFound(text)).toBe(/^(?:9{100}|\[9)/.test(text));
  },
);
