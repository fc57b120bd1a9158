import type { BlockList } from "node:net";
import type { ConnectError } from "@connectrpc/connect";
import { remembering } from "../call/remembering.ts";
import {
  addressLimited,
  keyBanned,
  keyExpired,
  keyInvalid,
  keyMissing,
  keyRevoked,
  rateLimited,
} from "../errors.ts";
import type { AdmissionStore, KeyDecision, Quota } from "./admission-store.ts";
import { type ApiKey, parseApiKey } from "./api-key.ts";
import type { Caller } from "./caller.ts";
import { clientAddress } from "./client-address.ts";
import { fullWindows } from "./full-windows.ts";
import { type LimitHeaders, limitHeaders } from "./limit-headers.ts";
import type { Limits } from "./plans.ts";
import { createRecentKeys } from "./recent-keys.ts";

/** What admission looks at: the parts of a raw request that come before its body. */
export interface Credentials {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  /** Address of the socket's other end. */
  readonly peer: string | undefined;
  /** The X-Forwarded-For header. */
  readonly forwardedFor: string | undefined;
}

/** Whether a request may go on, and how its caller stands. */
export type Admission = { readonly limits: LimitHeaders } & (
  | { readonly caller: Caller; readonly refusal?: undefined }
  | { readonly refusal: ConnectError }
);

/** Settings of admission. */
export interface AdmissionOptions {
  readonly store: AdmissionStore;
  /** Limits of an address's requests without a valid key. */
  readonly anonymousLimits: Limits;
  /** Proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: BlockList;
}

/**
 * Decides on a request by its credentials alone, and counts it.
 *
 * @param prepare begins what the response is likely to need. It is called at once if this process admitted
 * the key in the last seconds, and never otherwise, so unknown clients cannot cause its cost
 * @throws ConnectError unavailable when the store can't be reached: nothing passes unchecked
 */
export type Admit = (credentials: Credentials, prepare: () => void) => Promise<Admission>;

/** Decides on requests, and knows how callers stood at the last decision. */
export interface Admitter {
  readonly admit: Admit;
  /**
   * Returns the limit headers of this process's last decision on the key of an Authorization header. They
   * are for responses to requests that could not be counted. Does no I/O.
   *
   * @returns undefined when the process has not seen the key, or has forgotten it
   */
  lastLimits(authorization: string | undefined): LimitHeaders | undefined;
}

/** RFC 6750 section 2.1; the scheme's case does not matter (RFC 9110 section 11.1). */
const bearer = /^bearer +([^ ]+) *$/i;

/** Whether an Authorization header carries what can be a key of this service, by its form and checksum alone. */
export function hasWellFormedKey(authorization: string | undefined): boolean {
  const token = bearer.exec(authorization ?? "")?.[1];
  return token !== undefined && parseApiKey(token) !== undefined;
}

/** Keys whose reading is remembered: its checksum and hash cost as much as all else before the store. */
const maxRemembered = 1_000;

/** Makes the admission that stands before every request. */
export function createAdmission(options: AdmissionOptions): Admitter {
  const { store, anonymousLimits, trustedProxies } = options;
  /** What a key says of itself. Whether it is valid, the store is asked each time. */
  const readKey = remembering(parseApiKey, maxRemembered);
  const recentKeys = createRecentKeys();

  /** A request without a valid key: counted by its address, and refused either way. */
  async function refuse(
    { peer, forwardedFor }: Credentials,
    unauthenticated: () => ConnectError,
  ): Promise<Admission> {
    const address = clientAddress(peer, forwardedFor, trustedProxies);
    const quota = await store.admitAddress(address, anonymousLimits);
    return {
      limits: limitHeaders(quota),
      refusal:
        quota.verdict === "admitted"
          ? unauthenticated()
          : addressLimited(quota.retryInMs, fullWindows(quota.standings)),
    };
  }

  function lastLimits(authorization: string | undefined): LimitHeaders | undefined {
    const token = bearer.exec(authorization ?? "")?.[1];
    const key = token === undefined ? undefined : readKey(token);
    return key && recentKeys.lastLimits(key.hash);
  }

  const admit: Admit = (credentials, prepare) => {
    const askedAt = performance.now();
    const token = bearer.exec(credentials.authorization ?? "")?.[1];
    if (token === undefined) {
      return refuse(credentials, keyMissing);
    }
    const key = readKey(token);
    if (!key) {
      return refuse(credentials, keyInvalid);
    }
    const decided = store.admitKey(key.accountId, key.hash).then((decision) => {
      return admissionOf(decision, key, credentials, askedAt);
    });
    if (recentKeys.has(key.hash, askedAt)) prepare();
    return decided;
  };

  function admissionOf(
    decision: KeyDecision,
    key: ApiKey,
    credentials: Credentials,
    askedAt: number,
  ): Admission | Promise<Admission> {
    switch (decision.verdict) {
      case "admitted": {
        const { accountId, keyId, scopes } = decision.caller;
        const counted = { accountId, keyHash: key.hash, countedAt: decision.countedAt };
        const limits = limitHeaders(decision);
        recentKeys.admitted(key.hash, askedAt, limits);
        return {
          limits,
          caller: { accountId, keyId, scopes, askedAt, counted },
        };
      }
      case "limited":
      case "banned": {
        const limits = limitHeaders(decision);
        recentKeys.refused(key.hash, limits);
        return { limits, refusal: refusalOf(decision) };
      }
      case "unknown":
        recentKeys.forget(key.hash);
        return refuse(credentials, keyInvalid);
      case "revoked":
        recentKeys.forget(key.hash);
        return refuse(credentials, keyRevoked);
      case "expired":
        recentKeys.forget(key.hash);
        return refuse(credentials, keyExpired);
    }
  }

  return { admit, lastLimits };
}

function refusalOf(quota: Quota): ConnectError {
  return quota.verdict === "banned"
    ? banError(quota)
    : rateLimited(quota.retryInMs, fullWindows(quota.standings));
}

/** The error of a request with a banned key. */
export function banError({ retryInMs, standings }: Quota): ConnectError {
  // A window can be full for longer than the ban lasts.
  const waitMs = Math.max(retryInMs, standings.minute.waitMs, standings.day.waitMs);
  return keyBanned(waitMs, fullWindows(standings));
}
