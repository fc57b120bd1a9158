import { banLadderMs } from "../../../access/bans.ts";
import type { Limits } from "../../../access/plans.ts";
import { dayWindow, leavesAt, minuteWindow, type WindowSpec } from "../../../access/windows.ts";
import type { Quota, WindowQuota } from "../../admission-store.ts";

/**
 * Verdicts of the admission scripts, which return their indexes in this list. `now_banned` is the verdict on the request
 * that causes a ban.
 */
export const verdicts = [
  "unknown",
  "revoked",
  "expired",
  "admitted",
  "limited",
  "banned",
  "now_banned",
  "disabled",
  "address_not_allowed",
] as const;

/** Sizes and offsets of a decision's parts in bytes (see window.lua). */
const windowBytes = 12;
const minuteAt = 13;
const dayAt = minuteAt + windowBytes;
/** The size of a decision in bytes. */
export const decisionBytes = dayAt + windowBytes;

/** Parses a decision. @param at its offset in the reply @param limits the limits it was made with */
export function readQuota(reply: Buffer, at: number, limits: Limits): Quota {
  const now = reply.readUIntBE(at + 7, 6);
  const word = verdicts[reply.readUInt8(at)];
  const verdict = word === "now_banned" ? "banned" : (word as Quota["verdict"]);
  const retry = reply.readUIntBE(at + 1, 6);
  const retryInMs = verdict === "admitted" ? 0 : retry;
  return {
    verdict,
    retryInMs,
    ban: word === "now_banned" ? banOf(retryInMs, now) : undefined,
    countedAt: verdict === "admitted" ? now + retry : 0,
    decidedAt: now,
    windows: {
      minute: windowQuota(reply, at + minuteAt, minuteWindow, limits.perMinute, now),
      day: windowQuota(reply, at + dayAt, dayWindow, limits.perDay, now),
    },
  };
}

function banOf(lengthMs: number, now: number): Quota["ban"] {
  const lengths: readonly number[] = banLadderMs;
  return { level: lengths.indexOf(lengthMs) + 1, until: now + lengthMs };
}

function windowQuota(
  reply: Buffer,
  at: number,
  spec: WindowSpec,
  limit: number,
  now: number,
): WindowQuota {
  const total = reply.readUInt32BE(at);
  if (total === 0) return { limit, remaining: limit, resetAt: now, moreInMs: 0, waitMs: 0 };
  const current = Math.floor(now / spec.bucketMs);
  const newest = current - reply.readInt8(at + 4);
  const next = current - reply.readInt8(at + 5);
  return {
    limit,
    remaining: Math.max(0, limit - total),
    resetAt: leavesAt(spec, newest),
    moreInMs: leavesAt(spec, next) - now,
    waitMs: reply.readUIntBE(at + 6, 6),
  };
}
