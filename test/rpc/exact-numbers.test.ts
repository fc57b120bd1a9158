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
];

const integers = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }),
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

it.each(["", '"', '"\\', "9".repeat(100), '{"a":"9007199254740993', "[9007199254740993"])(
  "ends for a text that is not JSON: %j",
  (text) => {
    expect(isFound(text)).toBe(/^(?:9{100}|\[9)/.test(text));
  },
);
