import type { Quota, Standing, Standings } from "./admission-store.ts";
import { dayWindow, minuteWindow, type WindowSpec } from "./windows.ts";

/** Header fields that tell a caller how it stands; the same on every protocol. */
export type LimitHeaders = Readonly<Record<LimitHeaderName, string>>;

/** Names of the limit headers, as a page in a browser must be allowed to read them. */
export const limitHeaderNames = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
] as const;

type LimitHeaderName = (typeof limitHeaderNames)[number];

/**
 * Tells a quota as header fields: `X-RateLimit-*` of the one window that binds, `RateLimit-Policy` and
 * `RateLimit` of both (draft-ietf-httpapi-ratelimit-headers-11).
 */
export function limitHeaders(quota: Quota): LimitHeaders {
  const { minute, day } = quota.standings;
  const binding = bindingWindow(quota);
  return {
    "X-RateLimit-Limit": String(binding.limit),
    "X-RateLimit-Remaining": String(binding.remaining),
    "X-RateLimit-Reset": String(Math.ceil(binding.wholeAt / 1000)),
    "RateLimit-Policy": `"minute";q=${minute.limit};w=${seconds(minuteWindow)}, "day";q=${day.limit};w=${seconds(dayWindow)}`,
    RateLimit: `"minute";${left(minute)}, "day";${left(day)}`,
  };
}

/**
 * The window that stands in a caller's way: of those that refuse a request the one with the longest
 * wait, else the one with the fewest requests left; the day when they are equal.
 */
function bindingWindow({ verdict, standings }: Quota): Standing {
  const { minute, day }: Standings = standings;
  if (verdict !== "admitted" && minute.waitMs !== day.waitMs) {
    return minute.waitMs > day.waitMs ? minute : day;
  }
  return minute.remaining < day.remaining ? minute : day;
}

function seconds({ buckets, bucketMs }: WindowSpec): number {
  return (buckets * bucketMs) / 1000;
}

function left({ remaining, moreInMs }: Standing): string {
  return `r=${remaining};t=${Math.ceil(moreInMs / 1000)}`;
}
