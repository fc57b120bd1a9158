import { memoize } from "connect-gateway/call";
import { banLadderMs } from "../../../access/bans.ts";
import { type Limits, limitsOf } from "../../../access/plans.ts";
import { effectiveScopes, restrictedBit, scopesOf } from "../../../access/scopes.ts";
import { dayWindow, leavesAt, minuteWindow } from "../../../access/windows.ts";
import type { KeyDecision, KeyState, Quota, WindowQuota } from "../../admission-store.ts";
import { isStrictField, planChoice } from "../plan-field.ts";
import { verdicts } from "../verdicts.ts";
import type { ReplyReader } from "./reply-reader.ts";

/** The windows of a decision: their offsets in it, in bytes (see window.lua). */
const minute = { ...minuteWindow, offset: 13 };
const day = { ...dayWindow, offset: 25 };
/** The size of a decision in bytes. */
const decisionBytes = 37;

/** Most decisions of one script call. They take Redis about half a millisecond. */
export const mostDecisions = 100;

/** Most API keys whose parsed permissions are cached: many more than are in use at a time. */
const maxPermissions = 10_000;

/** Reads the decision on a request without a valid key. @param limits the limits that it was made with */
export function readQuota(reader: ReplyReader, limits: Limits): Quota {
  return quotaAt(reader.reply, reader.skip(decisionBytes), limits);
}

/** Parses the reply of charge_key. */
export function readCharge(reply: Buffer): Quota | { readonly verdict: "unknown" } {
  if (verdicts[reply.readUInt8(0)] === "unknown") return { verdict: "unknown" };
  const plan = reply.toString("latin1", decisionBytes);
  return quotaAt(reply, 0, limitsOf(planChoice(plan)));
}

/** Reads the state of a key. */
export function readKeyState(reader: ReplyReader): KeyState {
  const verdict = verdicts[reader.byte()];
  const state = verdict === "admitted" ? "valid" : (verdict as KeyState["state"]);
  return { state, expiresAt: reader.uint48() || undefined };
}

/** Reads the decision on a request with a key of an account. */
export function readKeyDecision(reader: ReplyReader, accountId: string): KeyDecision {
  const verdict = verdicts[reader.byte()];
  if (verdict === "unknown" || verdict === "revoked" || verdict === "expired") return { verdict };
  if (verdict === "address_not_allowed") return { verdict, keyId: reader.texts(1) };
  const at = reader.skip(decisionBytes - 1) - 1;
  const text = reader.texts(2);
  const keyAt = text.indexOf("\0") + 1;
  const permissionsEnd = text.indexOf(" ", text.indexOf(" ", keyAt) + 1);
  const permissions = text.slice(0, permissionsEnd);
  const { keyId, scopes, plan, limits, isStrict, isRestricted } = permissionsOf(permissions);
  const expiresAt = expiryIn(text, text.indexOf(" ", permissionsEnd + 1) + 1);
  const caller = { accountId, keyId, scopes, isStrict };
  return { ...quotaAt(reader.reply, at, limits), caller, plan, expiresAt, isRestricted };
}

/** Parses the permissions of a valid key: an account's plan, a zero byte and the beginning of a key's record (see accounts.lua). */
const permissionsOf = memoize((text: string) => {
  const [field = "", record = ""] = text.split("\0");
  const [keyId = "", mask] = record.split(" ");
  const choice = planChoice(field);
  const scopes = effectiveScopes(scopesOf(Number(mask)));
  const isStrict = isStrictField(field);
  const isRestricted = Number(mask) >= restrictedBit;
  return { keyId, scopes, plan: choice.plan, limits: limitsOf(choice), isStrict, isRestricted };
}, maxPermissions);

/** Parses when a key expires. @param at the offset of the time in the text */
function expiryIn(text: string, at: number): number | undefined {
  return text[at] === "0" ? undefined : Number(text.slice(at, text.indexOf(" ", at)));
}

/** Parses a decision. @param at its offset in the reply @param limits the limits that it was made with */
function quotaAt(reply: Buffer, at: number, limits: Limits): Quota {
  const now = decidedAt(reply, at);
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
      minute: windowQuota(reply, at, minute, limits.perMinute),
      day: windowQuota(reply, at, day, limits.perDay),
    },
  };
}

function banOf(lengthMs: number, now: number): Quota["ban"] {
  const lengths: readonly number[] = banLadderMs;
  return { level: lengths.indexOf(lengthMs) + 1, until: now + lengthMs };
}

function decidedAt(reply: Buffer, at: number): number {
  return reply.readUIntBE(at + 7, 6);
}

function windowQuota(
  reply: Buffer,
  decisionAt: number,
  window: typeof minute,
  limit: number,
): WindowQuota {
  const now = decidedAt(reply, decisionAt);
  const at = decisionAt + window.offset;
  const total = reply.readUInt32BE(at);
  if (total === 0) return { limit, remaining: limit, resetAt: now, moreInMs: 0, waitMs: 0 };
  const current = Math.floor(now / window.bucketMs);
  const newest = current - reply.readInt8(at + 4);
  const next = current - reply.readInt8(at + 5);
  return {
    limit,
    remaining: Math.max(0, limit - total),
    resetAt: leavesAt(window, newest),
    moreInMs: leavesAt(window, next) - now,
    waitMs: reply.readUIntBE(at + 6, 6),
  };
}
