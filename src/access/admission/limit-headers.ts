import type { Quota, WindowQuota, WindowQuotas } from "../../stores/admission-store.ts";
import { dayWindow, minuteWindow, type WindowSpec } from "../windows.ts";

/** Headers that report a caller's limits. They are the same in all protocols. */
export type LimitHeaders = Readonly<Record<LimitHeaderName, string>>;

/** Names of the limit headers. CORS exposes them to web pages. */
export const limitHeaderNames = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
] as const;

type LimitHeaderName = (typeof limitHeaderNames)[number];

/**
 * Makes the limit headers of a decision: `X-RateLimit-*` for the window that binds, `RateLimit-Policy` and
 * `RateLimit` for both windows (draft-ietf-httpapi-ratelimit-headers-11).
 */
export function limitHeaders(quota: Quota): LimitHeaders {
  const { minute, day } = quota.windows;
  const binding = bindingWindow(quota);
  return {
    "X-RateLimit-Limit": String(binding.limit),
    "X-RateLimit-Remaining": String(binding.remaining),
    "X-RateLimit-Reset": String(Math.ceil(binding.resetAt / 1000)),
    "RateLimit-Policy": `"minute";q=${minute.limit};w=${seconds(minuteWindow)}, "day";q=${day.limit};w=${seconds(dayWindow)}`,
    RateLimit: `"minute";${left(minute)}, "day";${left(day)}`,
  };
}

/**
 * Returns the window that limits the caller most: the one with the longest wait if the request was refused, else the
 * one with the fewest requests left. If both are equal, this is the day.
 */
function bindingWindow({ verdict, windows }: Quota): WindowQuota {
  const { minute, day }: WindowQuotas = windows;
  if (verdict !== "admitted" && minute.waitMs !== day.waitMs) {
    return minute.waitMs > day.waitMs ? minute : day;
  }
  return minute.remaining < day.remaining ? minute : day;
}

function seconds({ buckets, bucketMs }: WindowSpec): number {
  return (buckets * bucketMs) / 1000;
}

function left({ remaining, moreInMs }: WindowQuota): string {
  return `r=${remaining};t=${Math.ceil(moreInMs / 1000)}`;
}
