import { describe, expect, test, vi } from "vitest";
import { limitHeaders } from "../../src/admission/limit-headers.ts";
import type { Quota, WindowQuota } from "../../src/stores/admission-store.ts";
import { useFakeTime } from "../support/fake-time.ts";

/** 2026-07-15 10:20:30.400 UTC. */
const now = Date.UTC(2026, 6, 15, 10, 20, 30, 400);

interface Window {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds from now. */
  readonly whole?: number;
  readonly more?: number;
  readonly wait?: number;
}

/** What is left of a window, and its wait in milliseconds, if it has one. */
type Left = readonly [remaining: number, waitMs?: number];

function windowOf({ limit, remaining, whole = 0, more = 0, wait = 0 }: Window): WindowQuota {
  return { limit, remaining, resetAt: now + whole, moreInMs: more, waitMs: wait };
}

function quota(verdict: Quota["verdict"], minute: Window, day: Window): Quota {
  const windows = { minute: windowOf(minute), day: windowOf(day) };
  const retryInMs = Math.max(minute.wait ?? 0, day.wait ?? 0);
  const countedAt = verdict === "admitted" ? now : 0;
  return { verdict, windows, retryInMs, countedAt, decidedAt: now };
}

describe("limit headers", () => {
  useFakeTime({ toFake: ["Date"], now });

  test.each([-86_400_000, -3_600_000, 3_600_000])(
    "have a reset by the clock of the response's Date if that of the store differs by %d ms",
    (ahead) => {
      vi.setSystemTime(now - ahead);
      const window = { limit: 60, remaining: 12, whole: 60_600, more: 3_000 };
      const headers = limitHeaders(quota("admitted", window, { limit: 1_000, remaining: 940 }));
      const reset = Date.UTC(2026, 6, 15, 10, 21, 31) - ahead;
      expect(headers["X-RateLimit-Reset"]).toBe(String(reset / 1000));
    },
  );

  test("have the form of X-RateLimit-* and of draft-ietf-httpapi-ratelimit-headers-11", () => {
    const minute = { limit: 60, remaining: 12, whole: 60_600, more: 3_000 };
    const day = { limit: 1_000, remaining: 940, whole: 86_969_600, more: 51_230_000 };
    expect(limitHeaders(quota("admitted", minute, day))).toEqual({
      "X-RateLimit-Limit": "60",
      "X-RateLimit-Remaining": "12",
      "X-RateLimit-Reset": String(Date.UTC(2026, 6, 15, 10, 21, 31) / 1000),
      "RateLimit-Policy": '"minute";q=60;w=60, "day";q=1000;w=86400',
      RateLimit: '"minute";r=12;t=3, "day";r=940;t=51230',
    });
  });

  test.each<[what: string, Quota["verdict"], minute: Left, day: Left, "minute" | "day"]>([
    ["fewer left", "admitted", [5], [6], "minute"],
    ["fewer left", "admitted", [6], [5], "day"],
    ["the same left", "admitted", [5], [5], "day"],
    ["none left", "admitted", [0], [0], "day"],
    ["the longest wait", "limited", [0, 500], [0, 400], "minute"],
    ["the longest wait", "limited", [0, 400], [0, 500], "day"],
    ["the only wait", "limited", [0, 1], [3], "minute"],
    ["the only wait", "limited", [3], [0, 1], "day"],
    ["the same wait", "limited", [0, 7], [0, 7], "day"],
    ["a wait, although banned", "banned", [0, 7], [940], "minute"],
    ["fewer left, while banned", "banned", [60], [12], "day"],
  ])("report the window with %s (%s, %j and %j)", (_, verdict, ofMinute, ofDay, binding) => {
    const [minute, day] = [ofMinute, ofDay].map(([remaining, wait = 0], at) => {
      return { limit: at === 0 ? 60 : 1_000, remaining, wait };
    }) as [Window, Window];
    const { limit, remaining } = binding === "minute" ? minute : day;
    expect(limitHeaders(quota(verdict, minute, day))).toMatchObject({
      "X-RateLimit-Limit": String(limit),
      "X-RateLimit-Remaining": String(remaining),
    });
  });

  test.each([
    [0, 31],
    [600, 31],
    [601, 32],
    [-400, 30],
    [-399, 31],
  ])("round the reset up to a whole second: %i ms from now", (whole, second) => {
    const minute = { limit: 60, remaining: 1, whole };
    const { "X-RateLimit-Reset": reset } = limitHeaders(
      quota("admitted", minute, { limit: 1000, remaining: 999 }),
    );
    expect(reset).toBe(String(Date.UTC(2026, 6, 15, 10, 20, second) / 1000));
  });

  test.each([
    [0, 0],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [60_600, 61],
  ])("round up the seconds until there is more: %i ms are %i s", (more, seconds) => {
    const windows = { limit: 60, remaining: 1, more };
    const { RateLimit } = limitHeaders(quota("admitted", windows, windows));
    expect(RateLimit).toBe(`"minute";r=1;t=${seconds}, "day";r=1;t=${seconds}`);
  });

  test("write large numbers as digits", () => {
    const minute = { limit: 1_000_000, remaining: 999_999 };
    const day = { limit: 1_000_000_000, remaining: 999_999_999 };
    expect(limitHeaders(quota("admitted", minute, day))).toMatchObject({
      "RateLimit-Policy": '"minute";q=1000000;w=60, "day";q=1000000000;w=86400',
      RateLimit: '"minute";r=999999;t=0, "day";r=999999999;t=0',
    });
  });
});
