import type { Quota, WindowQuota } from "../access/admission-store.ts";
import type { Limits } from "../access/plans.ts";
import { dayWindow, leavesAt, minuteWindow, type WindowSpec } from "../access/windows.ts";

/** Verdicts of the admission scripts, which return their indexes in this list. */
export const verdicts = ["unknown", "revoked", "expired", "admitted", "limited", "banned"] as const;

/** Sizes and offsets of a decision's parts in bytes (see window.lua). */
const windowBytes = 12;
const minuteAt = 13;
const dayAt = minuteAt + windowBytes;
/** The size of a decision in bytes. */
export const decisionBytes = dayAt + windowBytes;

/**
 * Parses a decision.
 *
 * @param at its offset in the reply
 * @param limits the limits it was made with
 */
export function readQuota(reply: Buffer, at: number, limits: Limits): Quota {
  const now = reply.readUIntBE(at + 7, 6);
  const verdict = verdicts[reply.readUInt8(at)] as Quota["verdict"];
  return {
    verdict,
    retryInMs: reply.readUIntBE(at + 1, 6),
    countedAt: verdict === "admitted" ? now : 0,
    windows: {
      minute: windowQuota(reply, at + minuteAt, minuteWindow, limits.perMinute, now),
      day: windowQuota(reply, at + dayAt, dayWindow, limits.perDay, now),
    },
  };
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
  const newest = current - reply.readUInt8(at + 4);
  const oldest = current - reply.readUInt8(at + 5);
  return {
    limit,
    remaining: Math.max(0, limit - total),
    resetAt: leavesAt(spec, newest),
    moreInMs: leavesAt(spec, oldest) - now,
    waitMs: reply.readUIntBE(at + 6, 6),
  };
}
