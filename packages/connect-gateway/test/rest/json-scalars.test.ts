import { create } from "@bufbuild/protobuf";
import { StringValueSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fault, sample } from "./support/faults.ts";
import { httpJson } from "./support/json.ts";

describe("integers are exact", () => {
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
    [["anInt32", "aSint32", "aSfixed32"], -(2n ** 31n), 2n ** 31n - 1n],
    [["aUint32", "aFixed32"], 0n, 2n ** 32n - 1n],
    [["anInt64", "aSint64", "aSfixed64"], -(2n ** 63n), 2n ** 63n - 1n],
    [["aUint64", "aFixed64"], 0n, 2n ** 64n - 1n],
  ] as const)("%j from %s to %s", (names, min, max) => {
    const others = ["5.5", "1e99999999999", "1".repeat(30), '"5"', "null", "true", "{}", "[]"];
    for (const name of names) {
      expect(`${sample(`{"${name}":${min}}`)[name]}`).toBe(`${min}`);
      expect(`${sample(`{"${name}":${max}}`)[name]}`).toBe(`${max}`);
      const reason = `${name}: must be a JSON integer between ${min} and ${max}`;
      for (const json of [min - 1n, max + 1n, ...others]) {
        expect(fault(`{"${name}":${json}}`)).toBe(reason);
      }
    }
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
