import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvalidInput } from "../../src/http/invalid-input.ts";
import {
  canonicalLiteral,
  percentDecode,
  percentDecodeKeepingSlashes,
} from "../../src/rest/path/percent.ts";

const malformed = new InvalidInput("has invalid percent-encoding; encode % itself as %25");
const notUtf8 = new InvalidInput("must be UTF-8 after percent-decoding");

/** Returns the result of a function, or the error that it throws. */
function resultOf(decode: () => string): unknown {
  try {
    return decode();
  } catch (error) {
    return error;
  }
}

describe("percent-decoding", () => {
  test("returns the encoded text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(percentDecode(encodeURIComponent(text))).toBe(text);
        const path = encodeURIComponent(text).replaceAll("%2F", "/");
        expect(percentDecodeKeepingSlashes(path)).toBe(text);
      }),
    );
  });

  test.each([
    ["%", malformed],
    ["%4", malformed],
    ["%4g", malformed],
    ["100%", malformed],
    ["%E2%82", notUtf8],
    ["%ff", notUtf8],
    // An overlong "/" in two bytes, and a surrogate.
    ["%C0%AF", notUtf8],
    ["%ED%A0%80", notUtf8],
    ["%252F", "%2F"],
    ["a+b", "a+b"],
  ])("%s", (raw, expected) => {
    expect(resultOf(() => percentDecode(raw))).toEqual(expected);
  });

  test.each([
    ["a%2Fb/c%2fd", "a%2Fb/c%2fd"],
    ["%2F%20%2f", "%2F %2f"],
    ["%E2%82%AC%2F", "€%2F"],
    ["%252F", "%2F"],
    ["%2F%zz", malformed],
    ["%E2%2F%82", notUtf8],
  ])("of several segments: %s", (raw, expected) => {
    expect(resultOf(() => percentDecodeKeepingSlashes(raw))).toEqual(expected);
  });
});

describe("the canonical spelling of a literal", () => {
  test("is equal for all spellings of a text, and different for different texts", () => {
    const spelled = fc
      .array(
        fc.tuple(fc.integer({ min: 0x21, max: 0x7e }), fc.constantFrom("no", "upper", "lower")),
      )
      .map((chars) => ({
        text: String.fromCharCode(...chars.map(([code]) => code)),
        raw: chars.map(([code, encoded]) => spell(code, encoded)).join(""),
      }));
    fc.assert(
      fc.property(spelled, spelled, (one, other) => {
        const isSame = canonicalLiteral(one.raw) === canonicalLiteral(other.raw);
        expect(isSame).toBe(one.text === other.text);
        expect(canonicalLiteral(one.raw)).toMatch(/^(?:[-_.~0-9A-Za-z]|%[0-9A-F]{2})*$/);
        expect(decodeURIComponent(canonicalLiteral(one.raw))).toBe(one.text);
      }),
    );
  });

  function spell(code: number, encoded: string): string {
    const hex = `%${code.toString(16)}`;
    if (encoded === "no" && code !== 0x25) return String.fromCharCode(code);
    return encoded === "upper" ? hex.toUpperCase() : hex;
  }

  test.each([
    ["%FF", "%FF"],
    ["%e7%AC", "%E7%AC"],
    ["a%", "a%"],
    ["%zz", "%zz"],
    ["\u00e9", "%E9"],
    ["\t", "%09"],
  ])("keeps bytes that are not UTF-8 and invalid encodings different: %j", (raw, expected) => {
    expect(canonicalLiteral(raw)).toBe(expected);
  });
});
