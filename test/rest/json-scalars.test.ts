import { create } from "@bufbuild/protobuf";
import { Int64ValueSchema, StringValueSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fault, sample } from "./support/faults.ts";
import { httpJson, protoJson } from "./support/json.ts";

describe("integers are exact", () => {
  test("every int64 is read and written exactly, as an integer and as a string", () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (value) => {
        expect(sample(`{"anInt64":${value}}`).anInt64).toBe(value);
        expect(sample(`{"anInt64":"${value}"}`, protoJson).anInt64).toBe(value);
        const message = create(Int64ValueSchema, { value });
        expect(httpJson.encodeJson(Int64ValueSchema, message)).toBe(`${value}`);
        expect(protoJson.encodeJson(Int64ValueSchema, message)).toBe(`"${value}"`);
      }),
    );
  });

  test("no spelling of a fraction is rounded to an integer", () => {
    const digits = fc.stringMatching(/^[0-9]{1,12}$/);
    const mantissa = fc.tuple(
      fc.constantFrom("", "-"),
      fc.constantFrom("0", "5", "10", "907"),
      digits,
    );
    fc.assert(
      fc.property(
        mantissa,
        fc.integer({ min: -15, max: 15 }),
        ([sign, whole, fraction], exponent) => {
          const text = `${sign}${whole}.${fraction}e${exponent}`;
          // The same number as a fraction of two integers.
          const numerator = BigInt(`${sign}${whole}${fraction}`) * 10n ** 40n;
          const denominator = 10n ** BigInt(40 - exponent + fraction.length);
          const exact = numerator % denominator === 0n ? numerator / denominator : undefined;
          const fits = exact !== undefined && BigInt.asIntN(64, exact) === exact;
          if (fits) expect(sample(`{"anInt64":${text}}`).anInt64).toBe(exact);
          else expect(fault(`{"anInt64":${text}}`)).toMatch(/^anInt64: must be a JSON integer/);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["anInt32", "-2147483648", "2147483647", "-2147483649", "2147483648"],
    ["aSint32", "-2147483648", "2147483647", "-2147483649", "2147483648"],
    ["aSfixed32", "-2147483648", "2147483647", "-2147483649", "2147483648"],
    ["aUint32", "0", "4294967295", "-1", "4294967296"],
    ["aFixed32", "0", "4294967295", "-1", "4294967296"],
    [
      "anInt64",
      "-9223372036854775808",
      "9223372036854775807",
      "-9223372036854775809",
      "9223372036854775808",
    ],
    [
      "aSint64",
      "-9223372036854775808",
      "9223372036854775807",
      "-9223372036854775809",
      "9223372036854775808",
    ],
    [
      "aSfixed64",
      "-9223372036854775808",
      "9223372036854775807",
      "-9223372036854775809",
      "9223372036854775808",
    ],
    ["aUint64", "0", "18446744073709551615", "-1", "18446744073709551616"],
    ["aFixed64", "0", "18446744073709551615", "-1", "18446744073709551616"],
  ] as const)("%s from %s to %s", (name, min, max, below, above) => {
    expect(`${sample(`{"${name}":${min}}`)[name]}`).toBe(min);
    expect(`${sample(`{"${name}":${max}}`)[name]}`).toBe(max);
    const reason = `${name}: must be a JSON integer between ${min} and ${max}`;
    for (const json of [
      below,
      above,
      "5.5",
      "1e99999999999",
      "1".repeat(30),
      '"5"',
      "null",
      "true",
      "{}",
      "[]",
    ]) {
      expect(fault(`{"${name}":${json}}`)).toBe(reason);
    }
  });

  test.each(["5", "5.0", "5e0", "50e-1", "0.5e1", "0.00000000000000000000000005e26", "5E+0"])(
    "%s is 5",
    (json) => {
      expect(sample(`{"anInt32":${json},"anInt64":${json}}`)).toMatchObject({
        anInt32: 5,
        anInt64: 5n,
      });
    },
  );

  test.each(["-0", "0e99", "-0.0", "0e-99"])("%s is 0", (json) => {
    expect(sample(`{"anInt32":${json},"anInt64":${json}}`)).toMatchObject({
      anInt32: 0,
      anInt64: 0n,
    });
  });
});

describe("strings", () => {
  test("are read like JSON.parse does and written like JSON.stringify does", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        const json = JSON.stringify(value);
        expect(httpJson.decodeJson(StringValueSchema, json).value).toBe(value);
        const message = create(StringValueSchema, { value });
        expect(httpJson.encodeJson(StringValueSchema, message)).toBe(json);
      }),
      { numRuns: 2000 },
    );
  });

  test("are accepted and rejected as JSON.parse does", () => {
    const piece = fc.constantFrom(
      '"',
      "\\",
      "\\n",
      "\\u00e9",
      "\\u12",
      "a",
      "\n",
      "\t",
      "\x7f",
      "{",
      "}",
      ",",
      ":",
      "[",
      "]",
      "1",
      "-",
      ".",
      "e",
      "true",
      " ",
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, (json) => {
        const message = fault(`{"aValue":${json}}`);
        const isJson = parses(`{"aValue":${json}}`);
        if (message === "no fault") expect(isJson).toBe(true);
        else if (isJson) expect(message).toMatch(/given twice|unknown field/);
        else expect(message).toMatch(/not valid JSON|unknown field|given twice/);
      }),
      { numRuns: 2000 },
    );
  });

  function parses(json: string): boolean {
    try {
      JSON.parse(json);
      return true;
    } catch {
      return false;
    }
  }
});
