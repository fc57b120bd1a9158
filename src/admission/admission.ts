import type { ConnectError } from "@connectrpc/connect";
import type { ApiKey } from "../access/api-key.ts";
import type { Caller } from "../access/caller.ts";
import {
  accountDisabled,
  addressNotAllowed,
  keyExpired,
  keyInvalid,
  keyMissing,
  keyRevoked,
} from "../access/errors.ts";
import type { Limits, PlanName } from "../access/plans.ts";
import type { UsageCounter } from "../access/usage-counter.ts";
import type { CallContext, Verdict } from "../common/call-context.ts";
import type { AdmissionStore, KeyDecision, Quota, RequestHead } from "../stores/admission-store.ts";
import type { BanWatch } from "./ban-watch.ts";
import type { UnreadBatch } from "./batch-cost.ts";
import type { Credentials } from "./credentials.ts";
import type { ExpiringKeys } from "./expiring-keys.ts";
import {
  addressLimited,
  batchUnknown,
  fullWindows,
  keyBanned,
  lowestLimit,
  rateLimited,
} from "./limit-errors.ts";
import { type LimitHeaders, limitHeaders } from "./limit-headers.ts";
import { createRecentKeys } from "./recent-keys.ts";

/** A request before admission, as far as its headers show it. Made once for each request. */
export interface Applicant extends Credentials, RequestHead {
  /** Returns the client's address (IPv6: its /64). */
  address(): string;
  /**
   * Absent for a call that counts as one request. If a call that can count as several is refused, the error says when it
   * fits, however many it counts as, unless it can never fit.
   */
  readonly batch?: UnreadBatch | undefined;
}

/** The decision on a request: its caller or the error to send, and the limit headers of its response. */
export type Decision = {
  readonly limits: LimitHeaders;
  readonly verdict: Verdict;
  /** The plan of the caller's account; undefined when the key is not valid. */
  readonly plan: PlanName | undefined;
} & (
  | { readonly caller: Caller; readonly refusal?: undefined }
  | {
      /** The owner of the key that is refused; undefined when the key is not valid. */
      readonly caller: Pick<Caller, "accountId" | "keyId"> | undefined;
      readonly refusal: ConnectError;
    }
);

export interface AdmitterOptions {
  readonly store: AdmissionStore;
  /** Limits of requests without a valid key, for each address. */
  readonly anonymousLimits: Limits;
  readonly bans?: BanWatch;
  readonly usage?: UsageCounter;
  readonly expiring?: ExpiringKeys;
}

export type Admitter = ReturnType<typeof createAdmitter>;

/** Makes what decides on requests, and remembers the last limit headers of each key. Only `admit` does I/O. */
export function createAdmitter(options: AdmitterOptions) {
  const { store, anonymousLimits, bans, usage, expiring } = options;
  const recentKeys = createRecentKeys();
  const { lastLimits, wasAdmitted } = recentKeys;

  /** Counts a request without a key that is valid at its address by the address, and refuses it. */
  async function refuse(
    applicant: Applicant,
    verdict: keyof typeof keyErrors,
    context: CallContext | undefined,
    caller?: Pick<Caller, "accountId" | "keyId">,
  ): Promise<Decision> {
    const quota = await store.countAddress(applicant.address(), anonymousLimits, context);
    const isAdmitted = quota.verdict === "admitted";
    return {
      limits: limitHeaders(quota),
      verdict: isAdmitted ? verdict : "address_limited",
      plan: undefined,
      caller,
      refusal: isAdmitted
        ? keyErrors[verdict]()
        : addressLimited(quota.retryInMs, fullWindows(quota.windows)),
    };
  }

  function decisionOn(
    decision: KeyDecision,
    key: ApiKey,
    applicant: Applicant,
    context: CallContext | undefined,
  ): Decision | Promise<Decision> {
    const { verdict } = decision;
    switch (verdict) {
      case "unknown":
      case "revoked":
      case "expired":
        recentKeys.forget(key.hash);
        expiring?.forget(key.hash);
        return refuse(applicant, verdict, context);
      case "address_not_allowed": {
        // The key stays valid elsewhere. The log names it, because it may have been stolen.
        const caller = { accountId: key.accountId, keyId: decision.keyId };
        return refuse(applicant, verdict, context, caller);
      }
    }
    const { plan, caller, ban, retryInMs, countedAt, decidedAt, expiresAt } = decision;
    const { accountId, keyId, scopes, isStrict } = caller;
    const limits = limitHeaders(decision);
    const isAdmitted = verdict === "admitted";
    const admittedAt = isAdmitted ? performance.now() : Number.NEGATIVE_INFINITY;
    // Decisions on a key with networks are alike only at the client's address.
    const place = decision.isRestricted ? applicant.address() : undefined;
    recentKeys.record(key.hash, admittedAt, limits, place);
    if (verdict !== "disabled") usage?.count(caller, verdict, decidedAt, 1);
    if (isAdmitted) {
      if (expiresAt !== undefined) expiring?.admitted(key.hash, expiresAt, decidedAt);
      bans?.admitted(keyId);
      const counted = { accountId, keyHash: key.hash, countedAt };
      return { limits, verdict, plan, caller: { accountId, keyId, scopes, isStrict, counted } };
    }
    if (ban) bans?.banned({ accountId, keyId, ...ban }, retryInMs);
    return { limits, verdict, plan, caller, refusal: refusalOf(decision, applicant.batch) };
  }

  return {
    lastLimits,
    wasAdmitted,
    /** Decides on a request, and counts it as one. @throws ConnectError unavailable when the store cannot be reached */
    admit(applicant: Applicant, context?: CallContext): Promise<Decision> {
      const { key, fault } = applicant;
      if (!key) return refuse(applicant, fault ?? "missing", context);
      return store
        .admitKey(key.accountId, key.hash, context, applicant)
        .then((decision) => decisionOn(decision, key, applicant, context));
    },
    /**
     * Returns whom requests come from, as far as it is known before admission: the account of a key that this
     * process remembers, otherwise the client's address. A client with many invented keys is one caller.
     */
    callerOf(applicant: Applicant): string {
      const { key } = applicant;
      return key && lastLimits(applicant) ? key.accountId : applicant.address();
    },
  };
}

/** The errors of requests without a key that is valid at their addresses. */
const keyErrors = {
  missing: keyMissing,
  malformed: keyInvalid,
  unknown: keyInvalid,
  revoked: keyRevoked,
  expired: keyExpired,
  address_not_allowed: addressNotAllowed,
} as const;

function refusalOf(quota: Quota, batch: UnreadBatch | undefined): ConnectError {
  if (quota.verdict === "disabled") return accountDisabled();
  if (quota.verdict === "banned") return banError(quota);
  const { windows, retryInMs } = quota;
  const [limit] = lowestLimit(quota);
  const full = fullWindows(windows, Math.min(batch?.most ?? 1, limit));
  if (!batch || batch.most <= limit) return rateLimited(retryInMs, full);
  // Some batches of this length never fit, and only the body would say which.
  return batchUnknown(batch, limit, retryInMs, full);
}

export function banError({ retryInMs, windows }: Quota): ConnectError {
  // A window can be full for longer than the ban lasts.
  const waitMs = Math.max(retryInMs, windows.minute.waitMs, windows.day.waitMs);
  return keyBanned(waitMs, fullWindows(windows));
}
