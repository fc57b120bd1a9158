import type { Scope } from "./scopes.ts";

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
}
