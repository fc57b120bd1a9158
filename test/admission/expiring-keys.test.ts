import { expect, test } from "vitest";
import { createExpiringKeys } from "../../src/admission/expiring-keys.ts";

const day = 86_400_000;
const now = Date.UTC(2026, 10, 26);

test("counts each key that expires within 14 days once", () => {
  const keys = createExpiringKeys();
  keys.admitted("a", now + 14 * day, now);
  keys.admitted("a", now + 14 * day, now + 1);
  keys.admitted("b", now + 1, now);
  keys.admitted("c", now + 14 * day + 1, now);
  expect(keys.count(now)).toBe(2);
  keys.admitted("c", now + 14 * day + 1, now + 1);
  expect(keys.count(now)).toBe(3);
});

test("a key counts until it expires, is not valid, or was not used for a day", () => {
  const keys = createExpiringKeys();
  keys.admitted("short", now + 10, now);
  keys.admitted("revoked", now + 2 * day, now);
  keys.admitted("unused", now + 2 * day, now);
  keys.admitted("used", now + 3 * day, now);
  expect(keys.count(now + 9)).toBe(4);
  expect(keys.count(now + 10)).toBe(3);
  keys.forget("revoked");
  expect(keys.count(now + 10)).toBe(2);
  keys.admitted("used", now + 3 * day, now + 20);
  expect(keys.count(now + day - 1)).toBe(2);
  expect(keys.count(now + day)).toBe(1);
  expect(keys.count(now + day + 20)).toBe(0);
});

test("a rotation shortens the time", () => {
  const keys = createExpiringKeys();
  keys.admitted("a", now + 14 * day, now);
  keys.admitted("a", now + 100, now + 1);
  expect(keys.count(now + 99)).toBe(1);
  expect(keys.count(now + 100)).toBe(0);
});

test("counts at most 10,000 keys, and makes room for others", () => {
  const keys = createExpiringKeys();
  for (let key = 0; key < 10_001; key += 1) keys.admitted(`${key}`, now + day, now);
  expect(keys.count(now)).toBe(10_000);
  keys.forget("0");
  keys.admitted("other", now + day, now);
  expect(keys.count(now)).toBe(10_000);
});
