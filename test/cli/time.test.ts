import { afterEach, expect, test } from "vitest";
import { parseDuration, parseTime } from "../../src/cli/output/time.ts";

const { TZ } = process.env;

afterEach(() => {
  process.env.TZ = TZ;
});

test.each([
  ["2026-07-15T10:20:30Z", Date.UTC(2026, 6, 15, 10, 20, 30)],
  ["2026-07-15t10:20:30z", Date.UTC(2026, 6, 15, 10, 20, 30)],
  ["2026-07-15T10:20:30", Date.UTC(2026, 6, 15, 10, 20, 30)],
  ["2026-07-15T10:20:30.25", Date.UTC(2026, 6, 15, 10, 20, 30, 250)],
  ["2026-07-15T10:20:30.123456789Z", Date.UTC(2026, 6, 15, 10, 20, 30, 123)],
  ["2026-07-15T10:20:30+05:45", Date.UTC(2026, 6, 15, 4, 35, 30)],
  ["2026-07-15T22:20:30-02:30", Date.UTC(2026, 6, 16, 0, 50, 30)],
  ["2026-07-15", Date.UTC(2026, 6, 15)],
  ["2028-02-29", Date.UTC(2028, 1, 29)],
])("%s is the same time in every zone", (text, ms) => {
  for (const zone of ["UTC", "America/New_York", "Asia/Kathmandu"]) {
    process.env.TZ = zone;
    expect(parseTime(text)).toBe(ms);
  }
});

test.each([
  "",
  "5",
  "foo 3",
  "2026",
  "2026-07",
  "2026-7-15",
  "20260715",
  "2026-02-30",
  "2027-02-29",
  "2026-13-01",
  "2026-07-00",
  "2026-07-15T10:20",
  "2026-07-15T24:00:00Z",
  "2026-07-15T10:60:00Z",
  "2026-07-15T10:20:30+24:00",
  "2026-07-15T10:20:30+0200",
  "2026-07-15 10:20:30",
  "2026-07-15T10:20:30 Z",
  " 2026-07-15",
  "2026-07-15T10:20:30.Z",
  "+002026-07-15",
  "July 15, 2026",
  "0000-01-01",
  "9999-12-31T23:59:59-01:00",
])("%j is rejected", (text) => {
  expect(parseTime(text)).toBeUndefined();
});

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
