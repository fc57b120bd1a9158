import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type AccountUsage,
  AccountUsageSchema,
  type DailyUsage,
  DailyUsageSchema,
  type LimitWindow,
  LimitWindowSchema,
  type RequestCounts as RequestCountsMessage,
  RequestCountsSchema,
} from "../../../gen/usage/v1/usage_pb.ts";
import { dayMs, minuteMs } from "../../common/durations.ts";
import type { AccountRecord, KeyRecord } from "../../stores/account-store.ts";
import type { WindowQuota } from "../../stores/admission-store.ts";
import {
  mostRequestsFirst,
  noRequests,
  otherKeys,
  type QuotaNow,
  type RequestCounts,
  reportedDays,
  reportedKeys,
  reportedMinutes,
  type StoredUsage,
  sumOf,
} from "../../stores/usage-store.ts";

export function accountUsageMessage(
  { accountId, name, choice }: AccountRecord,
  keys: readonly KeyRecord[],
  { now, windows }: QuotaNow,
  stored: StoredUsage,
): AccountUsage {
  return create(AccountUsageSchema, {
    accountId,
    name,
    plan: choice.plan,
    reportedAt: timestampFromMs(now),
    minute: limitWindowMessage(windows.minute, now),
    day: limitWindowMessage(windows.day, now),
    lastHour: lastOf(reportedMinutes, now, minuteMs).map((minute) => ({
      startAt: timestampFromMs(minute * minuteMs),
      requests: requestCountsMessage(stored.minutes.get(minute) ?? noRequests),
    })),
    lastDays: lastOf(reportedDays, now, dayMs).map((day) => dailyUsage(day, stored)),
    keys: keys.map((key) => ({
      keyId: key.keyId,
      name: key.name,
      lastUsedAt: optionalTimestamp(key.lastUsedAt),
      expiresAt: optionalTimestamp(key.expiresAt),
      revokedAt: optionalTimestamp(key.revokedAt),
      bannedUntil: optionalTimestamp(key.bannedUntil),
    })),
  });
}

export function limitWindowMessage(quota: WindowQuota, now: number): LimitWindow {
  const { limit, remaining, moreInMs, resetAt } = quota;
  return create(LimitWindowSchema, {
    limit: BigInt(limit),
    remaining: BigInt(remaining),
    ...(moreInMs > 0 && { moreAt: timestampFromMs(now + moreInMs) }),
    ...(resetAt > now && { resetAt: timestampFromMs(resetAt) }),
  });
}

/** Makes the report of requests. Requests that were taken back can be counted before they are counted as made. */
export function requestCountsMessage(requests: RequestCounts): RequestCountsMessage {
  const { admitted, limited, banned } = requests;
  return create(RequestCountsSchema, {
    admitted: BigInt(Math.max(0, admitted)),
    limited: BigInt(Math.max(0, limited)),
    banned: BigInt(Math.max(0, banned)),
  });
}

export function requestsOfDay(day: number, { days }: StoredUsage): RequestCounts {
  return (days.get(day) ?? []).map(({ requests }) => requests).reduce(sumOf, noRequests);
}

/** Returns the numbers of the last periods, oldest first. */
function lastOf(count: number, now: number, periodMs: number): number[] {
  const current = Math.floor(now / periodMs);
  return Array.from({ length: count }, (_, index) => current - count + 1 + index);
}

function dailyUsage(day: number, stored: StoredUsage): DailyUsage {
  const keys = (stored.days.get(day) ?? [])
    .filter(({ keyId }) => keyId !== otherKeys)
    .sort(mostRequestsFirst)
    .slice(0, reportedKeys);
  return create(DailyUsageSchema, {
    date: new Date(day * dayMs).toISOString().slice(0, 10),
    requests: requestCountsMessage(requestsOfDay(day, stored)),
    keys: keys.map(({ keyId, requests }) => ({ keyId, requests: requestCountsMessage(requests) })),
  });
}

export function optionalTimestamp(ms: number | undefined) {
  return ms === undefined ? undefined : timestampFromMs(ms);
}
