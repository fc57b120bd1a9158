import type { Caller, CountedRequest } from "../access/caller.ts";
import type { Network } from "../access/network.ts";
import type { Limits, PlanName } from "../access/plans.ts";
import type { CallContext } from "../common/call-context.ts";

/** What is left of the limit in one window. */
export interface WindowQuota {
  /** The most requests in the window. */
  readonly limit: number;
  /** Requests that the window would still admit now. */
  readonly remaining: number;
  /** Milliseconds since the epoch at which the window is empty again if no more requests come. */
  readonly resetAt: number;
  /** Milliseconds until {@link remaining} grows, also from 0 after the limit was lowered; 0 when the window is empty. */
  readonly moreInMs: number;
  /** Milliseconds until the window admits a request if no other comes; 0 when it admits one now. */
  readonly waitMs: number;
}

/** Both windows, after the decision on a request. */
export interface WindowQuotas {
  readonly minute: WindowQuota;
  readonly day: WindowQuota;
}

/** A ban of a key. */
export interface Ban {
  /** How many bans in a row the key has had, from 1 to 5. */
  readonly level: number;
  /** When it ends, in milliseconds since the epoch. */
  readonly until: number;
}

/** The decision on a request of a known key or address. */
export interface Quota {
  /** `limited`: a window is full. `banned`: the key was refused too often. `disabled`: the account is disabled. */
  readonly verdict: "admitted" | "limited" | "banned" | "disabled";
  readonly windows: WindowQuotas;
  /** Milliseconds until the ban ends, else until both windows admit; 0 when the request was admitted, or the account is disabled. */
  readonly retryInMs: number;
  /** The ban that this request has caused; undefined when it has caused none. */
  readonly ban?: Ban | undefined;
  /** When the request was counted, by the store's clock: milliseconds since the epoch; 0 when it was refused. */
  readonly countedAt: number;
  /** When the decision was made, by the store's clock: milliseconds since the epoch. */
  readonly decidedAt: number;
}

/** The decision on a request with a well-formed key. */
export type KeyDecision =
  | (Quota & {
      readonly caller: Caller;
      readonly plan: PlanName;
      /** When the key expires, in milliseconds since the epoch; undefined if it does not. */
      readonly expiresAt: number | undefined;
      /** Whether the key can only be used from some networks. */
      readonly isRestricted: boolean;
    })
  | { readonly verdict: "address_not_allowed"; readonly keyId: string }
  | { readonly verdict: "unknown" | "revoked" | "expired" };

/** What the headers of a request say, in addition to its key. */
export interface RequestHead {
  /** Returns the client's whole address; empty if it is unknown. Called only if the key may have networks. */
  network(): Network;
  /**
   * How many requests the call can count as, once its body is read; absent for one. If a window is full, the waits are for
   * so many, or for the lower limit, so that a retry succeeds. During a ban they are for one request.
   */
  readonly batch?: { readonly most: number } | undefined;
}

/** Whether a key is valid, and its account is enabled. */
export interface KeyState {
  readonly state: "valid" | "unknown" | "revoked" | "expired" | "disabled";
  /** In milliseconds since the epoch; undefined if the key does not expire, or is unknown. */
  readonly expiresAt: number | undefined;
}

/**
 * Decides on requests. One atomic step checks whether the key is valid, used from an allowed address and not banned, whether
 * its account is enabled, and whether both windows admit the request, which it then counts, or whose refusal it records. No
 * decision on a key comes from a cache.
 *
 * All times are on the store's clock. If the clock was set back, a window stays at its time until the clock has caught up,
 * and the waits include that. A window or ban that is ahead of the clock by more than its own length starts again. All
 * functions throw ConnectError unavailable when the store cannot be reached.
 */
export interface AdmissionStore {
  /**
   * Decides on a request with a key.
   *
   * @param accountId the account that the key names
   * @param keyHash SHA-256 of the key in base64url
   * @param head absent for one request from an unknown address, from which no key with networks can be used
   */
  admitKey(
    accountId: string,
    keyHash: string,
    context?: CallContext,
    head?: RequestHead,
  ): Promise<KeyDecision>;
  /**
   * Counts a call that counts as several requests, except for the first one, which {@link admitKey} has counted. If they do
   * not all fit, it takes back the first request, and records a refusal. If the account is disabled, it only takes back the
   * first request. Both windows are then as if the call had not been made. It does not check again whether the key is valid.
   *
   * @param requests how many requests the call counts as, including the first; at least 2
   * @returns the decision; the waits of a refusal are those for all of the requests
   */
  charge(
    counted: CountedRequest,
    requests: number,
    context?: CallContext,
  ): Promise<Quota | { readonly verdict: "unknown" }>;
  /** Counts a request without a valid key, which is refused in any case, for its IPv4 address or IPv6 /64. Never bans. */
  countAddress(address: string, limits: Limits, context?: CallContext): Promise<Quota>;
  /** Returns the states of keys of any accounts, in the same order. Counts nothing. */
  keyStates(keyIds: readonly string[]): Promise<readonly KeyState[]>;
}
