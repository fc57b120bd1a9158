import { expect, test } from "vitest";
import { quoteIfHidden } from "../../src/common/quote.ts";

test.each([
  ["my file.csv", "my file.csv"],
  ["file.csv ", '"file.csv "'],
  ["file\u00a0.csv", '"file\\u00a0.csv"'],
])("a text is quoted if a part of it cannot be seen: %j", (text, shown) => {
  expect(quoteIfHidden(text)).toBe(shown);
});
