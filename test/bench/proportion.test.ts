import { expect, test } from "vitest";
import { methodsWithoutCase } from "../../bench/proportion/measure.ts";

test("the cost of every method is measured, or it says why not", () => {
  expect(methodsWithoutCase(), "add these to bench/proportion/cases.ts").toEqual([]);
});
