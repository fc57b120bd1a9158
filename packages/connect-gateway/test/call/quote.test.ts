import { expect, test } from "vitest";
import { abridge, quote } from "../../src/call/quote.ts";

test.each([
  ["as long as allowed", "abcd", "abcd"],
  ["longer", "abcde", "abcd…"],
  ["a pair before the end", "ab😀c", "ab😀…"],
  ["a pair across the end", "abc😀", "abc…"],
  ["a lone surrogate", "\uD83Dbcde", "\uFFFDbcd…"],
])("a text is shortened between characters: %s", (_, text, shortened) => {
  expect(abridge(text, 4)).toBe(shortened);
});

test.each([
  ["plain text, 'with' \"quotes\"", '"plain text, \'with\' \\"quotes\\""'],
  ["5\u200e", '"5\\u200e"'],
  ["5\u00a0", '"5\\u00a0"'],
  ["\ufeffa\u3164b\u{e0041}", '"\\ufeffa\\u3164b\\udb40\\udc41"'],
  ["\u001b[2J\u009b1m\u202e", '"\\u001b[2J\\u009b1m\\u202e"'],
  ["宠物 Zoé 🐕", '"宠物 Zoé 🐕"'],
])("a quoted text shows what cannot be seen: %j", (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});
