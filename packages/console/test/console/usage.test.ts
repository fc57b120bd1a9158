import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { AccountUsageSchema, LimitWindowSchema } from "../../../../gen/usage/v1/usage_pb.ts";
import { keyState } from "../../src/console/text/key-state.ts";
import { countText, numberText } from "../../src/console/text/number-text.ts";
import { agoText, durationText, utcText } from "../../src/console/text/time-text.ts";
import {
  dayPoints,
  minutePoints,
  stack,
  totals,
  type UsagePoint,
} from "../../src/console/usage/outcomes.ts";
import { pollIntervalMs } from "../../src/console/usage/poll-interval.ts";
import { windowState } from "../../src/console/usage/window-state.ts";

const now = Date.parse("2026-11-22T12:00:00Z");
const at = (offsetMs: number) => timestampFromDate(new Date(now + offsetMs));

describe("a plot of usage", () => {
  const points: UsagePoint[] = [
    { start: 60, counts: { admitted: 5, limited: 2, banned: 1 } },
    { start: 120, counts: { admitted: 0, limited: 0, banned: 4 } },
  ];

  test("stacks outcomes, the highest column first", () => {
    expect(stack(points)).toEqual([
      [60, 120],
      [8, 4],
      [7, 0],
      [5, 0],
    ]);
  });

  test("sums the outcomes of all points", () => {
    expect(totals(points)).toEqual({ admitted: 5, limited: 2, banned: 5 });
  });

  test("starts a minute at its time and a day at midnight in UTC", () => {
    const usage = create(AccountUsageSchema, {
      lastHour: [{ startAt: at(0), requests: { admitted: 3n } }],
      lastDays: [{ date: "2026-11-22", requests: { limited: 7n } }, { date: "2026-11-23" }],
    });
    const none = { admitted: 0, limited: 0, banned: 0 };
    expect(minutePoints(usage)).toEqual([{ start: now / 1_000, counts: { ...none, admitted: 3 } }]);
    const midnight = Date.parse("2026-11-22T00:00:00Z") / 1_000;
    expect(dayPoints(usage)).toEqual([
      { start: midnight, counts: { ...none, limited: 7 } },
      { start: midnight + 86_400, counts: none },
    ]);
  });
});

describe("the gauge of a limit", () => {
  test("is full when nothing is used up", () => {
    const window = create(LimitWindowSchema, { limit: 60n, remaining: 60n });
    expect(windowState(window, now)).toEqual({
      limit: 60,
      remaining: 60,
      left: 1,
      level: "enough",
      moreInMs: undefined,
      resetInMs: undefined,
    });
  });

  test("is low below a quarter, and counts down to more and to all", () => {
    const window = create(LimitWindowSchema, {
      limit: 60n,
      remaining: 6n,
      moreAt: at(4_000),
      resetAt: at(58_000),
    });
    expect(windowState(window, now + 1_000)).toMatchObject({
      left: 0.1,
      level: "low",
      moreInMs: 3_000,
      resetInMs: 57_000,
    });
  });

  test("is empty when nothing is left, and never counts below zero", () => {
    const window = create(LimitWindowSchema, { limit: 60n, remaining: 0n, resetAt: at(1_000) });
    expect(windowState(window, now + 9_000)).toMatchObject({ level: "none", resetInMs: 0 });
  });

  test("is overfull when a smaller plan began after the requests", () => {
    const window = create(LimitWindowSchema, { limit: 60n, remaining: -40n });
    expect(windowState(window, now)).toMatchObject({ left: 0, level: "none" });
  });
});

describe("updates of an open page", () => {
  const free = { perMinute: 60, perDay: 1_000 };

  test("use at most a tenth of the limit per minute", () => {
    expect(pollIntervalMs(free, 0)).toBe(10_000);
  });

  test("use at most a tenth of the limit per day after five minutes", () => {
    expect(86_400_000 / pollIntervalMs(free, 5 * 60_000)).toBeLessThanOrEqual(100);
  });

  test("come at most every five seconds, and every minute after five minutes", () => {
    const large = { perMinute: 1_000_000, perDay: 1_000_000_000 };
    expect(pollIntervalMs(large, 0)).toBe(5_000);
    expect(pollIntervalMs(large, 5 * 60_000)).toBe(60_000);
  });

  test("stay bounded under the smallest limits", () => {
    expect(pollIntervalMs({ perMinute: 1, perDay: 1 }, 0)).toBe(600_000);
    expect(pollIntervalMs({ perMinute: 0, perDay: 0 }, 5 * 60_000)).toBe(864_000_000);
    expect(pollIntervalMs({ perMinute: 1, perDay: 1_000_000 }, 5 * 60_000)).toBe(600_000);
  });
});

describe("the state of a key", () => {
  test.each([
    ["valid", {}],
    ["valid", { expiresAt: at(1), bannedUntil: at(0) }],
    ["banned", { bannedUntil: at(1) }],
    ["expired", { expiresAt: at(0), bannedUntil: at(1) }],
    ["revoked", { revokedAt: at(-1), expiresAt: at(-1), bannedUntil: at(1) }],
  ])("is %s: case %#", (state, times) => {
    expect(keyState(times, now)).toBe(state);
  });
});

describe("texts", () => {
  test.each([
    [-5, "0 s"],
    [1, "1 s"],
    [59_000, "59 s"],
    [60_000, "1 min"],
    [200_000, "3 min 20 s"],
    [7_200_000, "2 h"],
    [187_200_000, "2 d 4 h"],
  ])("show %i ms as %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  test("show a last use to the minute", () => {
    expect(agoText(at(-119_000), now)).toBe("just now");
    expect(agoText(at(-150_000), now)).toBe("2 min ago");
    expect(agoText(at(60_000), now)).toBe("just now");
  });

  test("show every int64 exactly", () => {
    expect(numberText(9_223_372_036_854_775_807n)).toBe("9,223,372,036,854,775,807");
  });

  test("show a count with its noun", () => {
    expect(countText(1, "key")).toBe("1 key");
    expect(countText(2n, "key")).toBe("2 keys");
    expect(countText(2, "entry", "entries")).toBe("2 entries");
  });

  test("show times in UTC", () => {
    expect(utcText(at(0))).toBe("2026-11-22 12:00:00 UTC");
  });
});
