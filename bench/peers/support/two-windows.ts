import type { Redis } from "ioredis";
import { RateLimiterRedis, type RateLimiterRes, RateLimiterUnion } from "rate-limiter-flexible";
import { peerLimits } from "./store.ts";

/** Counts a request of an account. @returns the limit headers; undefined if the request is refused */
export type Count = (account: string) => Promise<Record<string, string> | undefined>;

/** A minute and a day in a Union of rate-limiter-flexible: two fixed windows, two scripts per request. */
export function createTwoWindows(redis: Redis): Count {
  const union = new RateLimiterUnion(
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: "peer:minute",
      points: peerLimits.perMinute,
      duration: 60,
    }),
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: "peer:day",
      points: peerLimits.perDay,
      duration: 86_400,
    }),
  );
  return async (account) => {
    try {
      const standings: Record<string, RateLimiterRes> = await union.consume(account);
      const minute = standings["peer:minute"];
      return {
        "x-ratelimit-limit": String(peerLimits.perMinute),
        "x-ratelimit-remaining": String(minute?.remainingPoints ?? 0),
        "x-ratelimit-reset": String(Math.ceil((minute?.msBeforeNext ?? 0) / 1_000)),
      };
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal;
      return undefined;
    }
  };
}
