import type { HandlerContext } from "@connectrpc/connect";
import { memoize } from "connect-gateway/call";
import { dayWindow, minuteWindow } from "../access/windows.ts";
import type { Quota, WindowQuota } from "../stores/admission-store.ts";

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

/** Sets the limit headers of a response, whether it has an error or not. */
export function setLimitHeaders(
  { responseHeader }: Pick<HandlerContext, "responseHeader">,
  limits: LimitHeaders,
): void {
  for (const name of limitHeaderNames) responseHeader.set(name, limits[name]);
}

type LimitHeaderName = (typeof limitHeaderNames)[number];

/**
 * Makes the limit headers of a decision: `X-RateLimit-*` for the window that binds, `RateLimit-Policy` and
 * `RateLimit` for both windows (draft-ietf-httpapi-ratelimit-headers-11).
 */
export function limitHeaders(quota: Quota): LimitHeaders {
  const { minute, day } = quota.windows;
  const binding = bindingWindow(quota);
  // By the clock of the response's Date, which can differ from that of the store.
  const resetInMs = binding.resetAt - quota.decidedAt;
  return {
    "X-RateLimit-Limit": String(binding.limit),
    "X-RateLimit-Remaining": String(binding.remaining),
    "X-RateLimit-Reset": String(Math.ceil((Date.now() + resetInMs) / 1000)),
    "RateLimit-Policy": policyOf(minute.limit)(day.limit),
    RateLimit: `"minute";${left(minute)}, "day";${left(day)}`,
  };
}

/** Lengths of the windows, in seconds. */
const [minuteSeconds, daySeconds] = [minuteWindow, dayWindow].map(
  ({ buckets, bucketMs }) => (buckets * bucketMs) / 1_000,
);

/** Most limits of each window whose policy is cached. There are a few plans. */
const maxPolicies = 100;

/** Returns the policy of a limit per minute and a limit per day. Making it costs a request 500 bytes. */
const policyOf = memoize(
  (perMinute: number) =>
    memoize(
      (perDay: number) =>
        `"minute";q=${perMinute};w=${minuteSeconds}, "day";q=${perDay};w=${daySeconds}`,
      maxPolicies,
    ),
  maxPolicies,
);

/**
 * Returns the window that limits the caller most: the one with the longest wait if the request was refused, else the
 * one with the fewest requests left. If both are equal, this is the day.
 */
function bindingWindow({ verdict, windows }: Quota): WindowQuota {
  const { minute, day } = windows;
  if (verdict !== "admitted" && minute.waitMs !== day.waitMs) {
    return minute.waitMs > day.waitMs ? minute : day;
  }
  return minute.remaining < day.remaining ? minute : day;
}

function left({ remaining, moreInMs }: WindowQuota): string {
  return `r=${remaining};t=${Math.ceil(moreInMs / 1000)}`;
}
