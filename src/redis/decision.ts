import type { Quota, Standing } from "../access/admission-store.ts";
import type { Limits } from "../access/plans.ts";
import { dayWindow, leavesAt, minuteWindow, type WindowSpec } from "../access/windows.ts";

/** Verdicts of the admission scripts; each is told as its index here. */
export const verdicts = ["unknown", "revoked", "expired", "admitted", "limited", "banned"] as const;

/** Bytes of a decision's parts, as window.lua packs them. */
const windowBytes = 12;
const minuteAt = 13;
const dayAt = minuteAt + windowBytes;
/** Bytes of a whole decision. */
export const decisionBytes = dayAt + windowBytes;

/**
 * Reads a decision that a caller's windows are part of.
 *
 * @param at where it begins in the reply
 */
export function readQuota(reply: Buffer, at: number, limits: Limits): Quota {
  const now = reply.readUIntBE(at + 7, 6);
  const verdict = verdicts[reply.readUInt8(at)] as Quota["verdict"];
  return {
    verdict,
    retryInMs: reply.readUIntBE(at + 1, 6),
    countedAt: verdict === "admitted" ? now : 0,
    standings: {
      minute: standing(reply, at + minuteAt, minuteWindow, limits.perMinute, now),
      day: standing(reply, at + dayAt, dayWindow, limits.perDay, now),
    },
  };
}

function standing(
  reply: Buffer,
  at: number,
  spec: WindowSpec,
  limit: number,
  now: number,
): Standing {
  const total = reply.readUInt32BE(at);
  if (total === 0) return { limit, remaining: limit, wholeAt: now, moreInMs: 0, waitMs: 0 };
  const current = Math.floor(now / spec.bucketMs);
  const newest = current - reply.readUInt8(at + 4);
  const oldest = current - reply.readUInt8(at + 5);
  return {
    limit,
    remaining: Math.max(0, limit - total),
    wholeAt: leavesAt(spec, newest),
    moreInMs: leavesAt(spec, oldest) - now,
    waitMs: reply.readUIntBE(at + 6, 6),
  };
}
