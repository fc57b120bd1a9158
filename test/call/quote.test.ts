import { expect, test } from "vitest";
import { abridge } from "../../src/call/quote.ts";

test.each([
  ["as long as allowed", "abcd", "abcd"],
  ["longer", "abcde", "abcd…"],
  ["a pair before the end", "ab😀c", "ab😀…"],
  ["a pair across the end", "abc😀", "abc…"],
  ["a lone surrogate", "\uD83Dbcde", "\uFFFDbcd…"],
])("a text is shortened between characters: %s", (_, text, shortened) => {
  expect(abridge(text, 4)).toBe(shortened);
});
