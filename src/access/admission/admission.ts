import type { BlockList } from "node:net";
import type { ConnectError } from "@connectrpc/connect";
import type { CallContext } from "../../call/context.ts";
import { memoize } from "../../call/memoize.ts";
import type { Verdict } from "../../call/request-record.ts";
import {
  accountDisabled,
  addressLimited,
  batchUnknown,
  keyBanned,
  keyExpired,
  keyInvalid,
  keyMissing,
  keyRevoked,
  rateLimited,
} from "../../contract/errors.ts";
import type { AdmissionStore, KeyDecision, Quota } from "../../stores/admission-store.ts";
import { type ApiKey, parseApiKey } from "../api-key.ts";
import type { Caller } from "../caller.ts";
import { clientAddress } from "../client-address.ts";
import type { Limits, PlanName } from "../plans.ts";
import type { UsageCounter } from "../usage-counter.ts";
import type { BanWatch } from "./ban-watch.ts";
import type { RequestBounds } from "./batch-cost.ts";
import { fullWindows, lowestLimit } from "./full-windows.ts";
import { type LimitHeaders, limitHeaders } from "./limit-headers.ts";
import { createRecentKeys } from "./recent-keys.ts";

/** The parts of a request that admission uses. None of them is in its body. */
export interface Credentials {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  /** The address of the socket's peer. */
  readonly peer: string | undefined;
  /** The X-Forwarded-For header. */
  readonly forwardedFor: string | undefined;
}

/** The decision on a request: its caller or the error to send, and the limit headers of its response. */
export type Admission = {
  readonly limits: LimitHeaders;
  readonly verdict: Verdict;
  /** The plan of the caller's account; undefined when the key is not valid. */
  readonly plan: PlanName | undefined;
} & (
  | { readonly caller: Caller; readonly refusal?: undefined }
  | {
      /** The caller whose request is refused; undefined when the key is not valid. */
      readonly caller: Caller | undefined;
      readonly refusal: ConnectError;
    }
);

/** Settings of admission. */
export interface AdmissionOptions {
  readonly store: AdmissionStore;
  /** Limits of requests without a valid key, for each address. */
  readonly anonymousLimits: Limits;
  /** Proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: BlockList;
  /** Learns of bans. */
  readonly bans?: BanWatch;
  /** Counts the requests of accounts. */
  readonly usage?: UsageCounter;
}

/**
 * Decides on a request by its credentials, and counts it as one.
 *
 * @param batch absent for a call that counts as one request. If a call that can count as several is refused, the error
 * says when it fits, however many it counts as, unless it can never fit
 * @throws ConnectError unavailable when the store cannot be reached: no request passes unchecked
 */
export type Admit = (
  credentials: Credentials,
  context?: CallContext,
  batch?: UnreadBatch,
) => Promise<Admission>;

/** A call whose body says how many requests it counts as. */
export interface UnreadBatch extends RequestBounds {
  readonly itemsPerRequest: number;
}

/** Decides on requests, and remembers the last limit headers of each key. */
export interface Admitter {
  readonly admit: Admit;
  /**
   * Returns whether this process has admitted the key of an Authorization header in the last 10 s, and not refused it
   * since. Does no I/O.
   */
  wasAdmitted(authorization: string | undefined): boolean;
  /**
   * Returns the limit headers of this process's last decision on the key of an Authorization header, for the
   * responses to requests that could not be counted. Does no I/O.
   *
   * @returns undefined when the process does not remember the key
   */
  lastLimits(authorization: string | undefined): LimitHeaders | undefined;
  /**
   * Returns whom requests come from, as far as it is known before admission: the account of a key that this
   * process remembers, otherwise the client's address (IPv6: its /64). A client with many invented keys is one caller.
   * Does no I/O.
   */
  callerOf(credentials: Credentials): string;
}

/** RFC 6750 section 2.1. The scheme is case-insensitive (RFC 9110 section 11.1). */
const bearer = /^bearer +([^ ]+) *$/i;

/** Returns whether an Authorization header has a well-formed key: its form and checksum are right. */
export function hasWellFormedKey(authorization: string | undefined): boolean {
  const token = bearer.exec(authorization ?? "")?.[1];
  return token !== undefined && parseApiKey(token) !== undefined;
}

/** Most parsed keys that are cached. Parsing a key costs as much as all other work before the store call. */
const maxRemembered = 1_000;

/** Makes the admission of all requests. */
export function createAdmission(options: AdmissionOptions): Admitter {
  const { store, anonymousLimits, trustedProxies, bans, usage } = options;
  // Whether the key is valid is not cached: the store decides that for each request.
  const readKey = memoize(parseApiKey, maxRemembered);
  const recentKeys = createRecentKeys();

  /** Counts a request without a valid key by its address, and refuses it. */
  async function refuse(
    { peer, forwardedFor }: Credentials,
    verdict: Verdict,
    unauthenticated: () => ConnectError,
    context: CallContext | undefined,
  ): Promise<Admission> {
    const address = clientAddress(peer, forwardedFor, trustedProxies);
    const quota = await store.admitAddress(address, anonymousLimits, context);
    const isAdmitted = quota.verdict === "admitted";
    return {
      limits: limitHeaders(quota),
      verdict: isAdmitted ? verdict : "address_limited",
      plan: undefined,
      caller: undefined,
      refusal: isAdmitted
        ? unauthenticated()
        : addressLimited(quota.retryInMs, fullWindows(quota.windows)),
    };
  }

  function keyOf(authorization: string | undefined): ApiKey | undefined {
    const token = bearer.exec(authorization ?? "")?.[1];
    return token === undefined ? undefined : readKey(token);
  }

  function wasAdmitted(authorization: string | undefined): boolean {
    const key = keyOf(authorization);
    return key !== undefined && recentKeys.wasAdmitted(key.hash, performance.now());
  }

  function lastLimits(authorization: string | undefined): LimitHeaders | undefined {
    const key = keyOf(authorization);
    return key && recentKeys.lastLimits(key.hash);
  }

  function callerOf({ authorization, peer, forwardedFor }: Credentials): string {
    const key = keyOf(authorization);
    return key && recentKeys.lastLimits(key.hash)
      ? key.accountId
      : clientAddress(peer, forwardedFor, trustedProxies);
  }

  const admit: Admit = (credentials, context, batch) => {
    const key = keyOf(credentials.authorization);
    if (!key) {
      const isMissing = !bearer.test(credentials.authorization ?? "");
      return isMissing
        ? refuse(credentials, "missing", keyMissing, context)
        : refuse(credentials, "malformed", keyInvalid, context);
    }
    return store
      .admitKey(key.accountId, key.hash, context, batch?.most)
      .then((decision) => admissionOf(decision, key, credentials, context, batch));
  };

  function admissionOf(
    decision: KeyDecision,
    key: ApiKey,
    credentials: Credentials,
    context: CallContext | undefined,
    batch: UnreadBatch | undefined,
  ): Admission | Promise<Admission> {
    const { verdict } = decision;
    switch (verdict) {
      case "admitted": {
        const { accountId, keyId, scopes } = decision.caller;
        const counted = { accountId, keyHash: key.hash, countedAt: decision.countedAt };
        const limits = limitHeaders(decision);
        recentKeys.admitted(key.hash, performance.now(), limits);
        bans?.admitted(keyId);
        usage?.count(decision.caller, verdict, decision.decidedAt, 1);
        const caller = { accountId, keyId, scopes, counted };
        return { limits, verdict, plan: decision.plan, caller };
      }
      case "limited":
      case "banned": {
        const limits = limitHeaders(decision);
        recentKeys.refused(key.hash, limits);
        const { plan, caller, ban, retryInMs, decidedAt } = decision;
        usage?.count(caller, verdict, decidedAt, 1);
        if (ban) {
          const { accountId, keyId } = caller;
          bans?.banned({ accountId, keyId, ...ban }, retryInMs);
        }
        return { limits, verdict, plan, caller, refusal: refusalOf(decision, batch) };
      }
      case "disabled": {
        const limits = limitHeaders(decision);
        recentKeys.refused(key.hash, limits);
        const { plan, caller } = decision;
        return { limits, verdict, plan, caller, refusal: accountDisabled() };
      }
      case "unknown":
        recentKeys.forget(key.hash);
        return refuse(credentials, verdict, keyInvalid, context);
      case "revoked":
        recentKeys.forget(key.hash);
        return refuse(credentials, verdict, keyRevoked, context);
      case "expired":
        recentKeys.forget(key.hash);
        return refuse(credentials, verdict, keyExpired, context);
    }
  }

  return { admit, wasAdmitted, lastLimits, callerOf };
}

function refusalOf(quota: Quota, batch: UnreadBatch | undefined): ConnectError {
  if (quota.verdict === "banned") return banError(quota);
  const { fewest, most, itemsPerRequest } = batch ?? { fewest: 1, most: 1, itemsPerRequest: 1 };
  const [limit] = lowestLimit(quota);
  const full = fullWindows(quota.windows, Math.min(most, limit));
  // Some batches of this length never fit, and only the body would say which.
  return most > limit
    ? batchUnknown(limit * itemsPerRequest, quota.retryInMs, full, fewest <= limit)
    : rateLimited(quota.retryInMs, full);
}

/** Makes the error of a request with a banned key. */
export function banError({ retryInMs, windows }: Quota): ConnectError {
  // A window can be full for longer than the ban lasts.
  const waitMs = Math.max(retryInMs, windows.minute.waitMs, windows.day.waitMs);
  return keyBanned(waitMs, fullWindows(windows));
}
