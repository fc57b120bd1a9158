import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  accountOfKeyId,
  apiKeyLength,
  newAccountId,
  newApiKey,
  newKeyId,
  parseApiKey,
} from "../../src/access/api-key.ts";

const keys = fc.constant(null).map(() => newApiKey(newAccountId()));
const position = fc.nat({ max: apiKeyLength - 1 });
/** Characters of keys, and others. */
const character = fc.oneof(
  fc.constantFrom(..."0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_- \n"),
  fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)),
);

const replaced = (text: string, at: number, by: string) =>
  text.slice(0, at) + by + text.slice(at + 1);

describe("API keys", () => {
  test("are parsed to their account and hash", () => {
    const accountId = newAccountId();
    const secret = newApiKey(accountId);
    expect(parseApiKey(secret)).toEqual({ accountId, hash: hash("sha256", secret, "base64url") });
  });

  test("can be recognized by their form", () => {
    expect(newApiKey(newAccountId())).toMatch(/^inv_[0-9a-hjkmnp-tv-z]{45}$/);
  });

  test("have 26 random digits, which are evenly distributed", () => {
    const secrets = Array.from({ length: 2_000 }, () => newApiKey("000000000000").slice(16, 42));
    expect(new Set(secrets)).toHaveLength(2_000);
    const counts = new Map<string, number>();
    for (const digit of secrets.join("")) {
      counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    // 52,000 digits: 1,625 of each expected, with a standard deviation of 40.
    expect(counts).toHaveLength(32);
    for (const [digit, count] of counts) {
      expect(Math.abs(count - 1_625), digit).toBeLessThan(320);
    }
  });

  test("are refused after any change of one character", () => {
    fc.assert(
      fc.property(keys, position, character, (key, at, by) => {
        const changed = replaced(key, at, by);
        expect(parseApiKey(changed) === undefined).toBe(changed !== key);
      }),
      { numRuns: 3_000 },
    );
  });

  test("are refused after each of all changes of one character into another digit", () => {
    const key = newApiKey(newAccountId());
    for (let at = 0; at < apiKeyLength; at++) {
      for (const by of "0123456789abcdefghjkmnpqrstvwxyz_") {
        const changed = replaced(key, at, by);
        expect(parseApiKey(changed) !== undefined, changed).toBe(changed === key);
      }
    }
  });

  test("are refused after two adjacent characters were swapped", () => {
    fc.assert(
      fc.property(keys, fc.nat({ max: apiKeyLength - 2 }), (key, at) => {
        const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
        expect(parseApiKey(swapped) === undefined).toBe(swapped !== key);
      }),
    );
  });

  test("are refused with one character more or less", () => {
    fc.assert(
      fc.property(keys, position, character, (key, at, more) => {
        expect(parseApiKey(key.slice(0, at) + more + key.slice(at))).toBeUndefined();
        expect(parseApiKey(key.slice(0, at) + key.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  test("are refused with other text around them", () => {
    const key = newApiKey(newAccountId());
    for (const text of [` ${key}`, `${key} `, `${key}\n`, `\n${key}`, `"${key}"`, key + key, ""]) {
      expect(parseApiKey(text), JSON.stringify(text)).toBeUndefined();
    }
  });

  test("are refused in upper case", () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(parseApiKey(key.toUpperCase())).toBeUndefined();
      }),
    );
  });

  test("any other text is refused", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseApiKey(text)).toBeUndefined();
      }),
    );
  });
});

test("key ids contain their account id", () => {
  const accountId = newAccountId();
  expect(accountId).toMatch(/^[0-9a-z]{12}$/);
  expect(newKeyId(accountId)).toMatch(/^[0-9a-z]{20}$/);
  expect(accountOfKeyId(newKeyId(accountId))).toBe(accountId);
});
