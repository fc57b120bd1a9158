import type { Caller, CountedRequest } from "./caller.ts";
import type { Limits } from "./plans.ts";

/** How a caller stands in one window. */
export interface Standing {
  /** Requests the window admits. */
  readonly limit: number;
  /** Requests it would admit now. */
  readonly remaining: number;
  /** Milliseconds since the epoch at which the window is whole again if no more requests come. */
  readonly wholeAt: number;
  /** Milliseconds until more quota comes; 0 when the window is whole. */
  readonly moreInMs: number;
  /** Milliseconds until the window admits a request if no other comes; 0 when it does. */
  readonly waitMs: number;
}

/** How a caller stands in both windows, after the request that was decided. */
export interface Standings {
  readonly minute: Standing;
  readonly day: Standing;
}

/** The decision on a request, once it is known whose it is. */
export interface Quota {
  /** `limited`: a window is full. `banned`: the key was refused too often. */
  readonly verdict: "admitted" | "limited" | "banned";
  readonly standings: Standings;
  /** Milliseconds until the ban ends, else until both windows admit; 0 when this one was admitted. */
  readonly retryInMs: number;
  /** When the request was counted, by the store's clock: milliseconds since the epoch; 0 when it was refused. */
  readonly countedAt: number;
}

/** The decision on a request with a well-formed key. */
export type KeyDecision =
  | (Quota & { readonly caller: Caller })
  | { readonly verdict: "unknown" | "revoked" | "expired" };

/** What has become of a key. */
export type KeyState = "valid" | "unknown" | "revoked" | "expired";

/**
 * Decides on requests, each in one atomic step: is the key valid, is it banned, do both windows admit
 * the request; counts it if so, and records the refusal if not. Nothing of it comes from a cache.
 *
 * Time is the store's and never runs backwards for an account.
 */
export interface AdmissionStore {
  /**
   * Decides on a request with a key.
   *
   * @param accountId the account that the key names
   * @param keyHash SHA-256 of the key in base64url
   * @throws ConnectError unavailable when the store can't be reached
   */
  admitKey(accountId: string, keyHash: string): Promise<KeyDecision>;
  /**
   * Counts the rest of a call that counts as several requests, of which {@link admitKey} has counted one. If they do
   * not all fit, it refuses the call: it takes the first one back, so that both windows are as if the call had not been
   * made, and records the refusal. It does not check again whether the key is valid.
   *
   * @param requests how many requests the call counts as, including the first; at least 2
   * @returns the decision; the waits of a refusal are those for all of the requests
   * @throws ConnectError unavailable when the store can't be reached
   */
  charge(
    counted: CountedRequest,
    requests: number,
  ): Promise<Quota | { readonly verdict: "unknown" }>;
  /**
   * Decides on a request without a valid key, counted by where it comes from. Never bans.
   *
   * @param address what to count by: an IPv4 address or an IPv6 /64
   * @throws ConnectError unavailable when the store can't be reached
   */
  admitAddress(address: string, limits: Limits): Promise<Quota>;
  /**
   * Looks whether keys are still valid, which is no request and counts as none.
   *
   * @param keyIds of any accounts
   * @returns their states, in the same order
   * @throws ConnectError unavailable when the store can't be reached
   */
  keyStates(keyIds: readonly string[]): Promise<readonly KeyState[]>;
}
