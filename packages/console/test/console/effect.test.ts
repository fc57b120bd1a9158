import { expect, test } from "vitest";
import { isLargeChange, quantityEffect } from "../../src/console/shared/effect.ts";

test.each([
  [5, 49, false],
  [5, 50, true],
  [50, 6, false],
  [50, 5, true],
  [0, 99, false],
  [0, 100, true],
  [9, 0, false],
  [10, 0, true],
  [0, 0, false],
  [10n, 1_000_000_000n, true],
])("a change from %s to %s is large: %s", (before, after, expected) => {
  expect(isLargeChange(before, after)).toBe(expected);
});

test.each([
  [5, 5, []],
  [5, 0, ["Quantity: 5 → 0"]],
  [5, -1, ["Quantity: 5, 1 unit too few"]],
  [100, -1_000, ["Quantity: 100, 1,000 units too few"]],
  [7, 2_147_483_647, ["Quantity: 7 → 2,147,483,647"]],
  [2_147_483_646, 2_147_483_649, ["Quantity: 2,147,483,646, 2 units too many"]],
])("the effect of %i and then %i has no quantity that there cannot be", (before, after, texts) => {
  expect(quantityEffect("Quantity", before, after).map(({ text }) => text)).toEqual(texts);
});

test("does not ask about a change that the service refuses", () => {
  for (const after of [-1, 2_147_483_648]) {
    expect(quantityEffect("Quantity", 100, after)).toMatchObject([{ isLarge: false }]);
  }
});
