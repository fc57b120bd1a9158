import { expect, test } from "vitest";
import { parseDuration } from "../../src/cli/output/duration.ts";

test.each([
  ["30d", 2_592_000_000],
  ["24h", 86_400_000],
  ["15m", 900_000],
  ["90s", 90_000],
  ["0", 0],
  ["0s", 0],
  ["36500d", 3_153_600_000_000],
])("%s is %i ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  "",
  "5",
  "-1h",
  "+1h",
  "1.5h",
  "1h30m",
  " 1h",
  "1 h",
  "1w",
  "1H",
  "36501d",
  `${"9".repeat(400)}s`,
])("%j is rejected", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
