import { expect, it } from "vitest";
import { isLargeChange } from "../../../src/web/console/shared/effect.ts";

it.each([
  [5, 49, false],
  [5, 50, true],
  [50, 6, false],
  [50, 5, true],
  [0, 99, false],
  [0, 100, true],
  [9, 0, false],
  [10, 0, true],
  [100, -1, false],
])("a change from %i to %i is large: %s", (before, after, expected) => {
  expect(isLargeChange(before, after)).toBe(expected);
});
