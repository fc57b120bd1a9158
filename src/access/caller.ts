import type { Scope } from "./scopes.ts";

/** A request that admission has counted, and where. */
export interface CountedRequest {
  readonly accountId: string;
  /** SHA-256 of the key in base64url. */
  readonly keyHash: string;
  /** When it was counted, by the store's clock: milliseconds since the epoch. */
  readonly countedAt: number;
}

/** Who calls, as established by admission. */
export interface Caller {
  /** Account that the key belongs to. */
  readonly accountId: string;
  /** The key that was used. */
  readonly keyId: string;
  /** What the key may do. */
  readonly scopes: ReadonlySet<Scope>;
  /**
   * When the request came, on the clock of performance.now(): what was read later than that is not too old
   * for it. Undefined when that is not known.
   */
  readonly askedAt?: number;
  /** The call's request as it was counted. Undefined within the process, where nothing is counted. */
  readonly counted?: CountedRequest;
}
