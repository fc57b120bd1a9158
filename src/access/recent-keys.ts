import type { LimitHeaders } from "./limit-headers.ts";

/** For how long an admitted key counts as likely to be admitted again, in milliseconds. */
const recentMs = 10_000;
/** Most keys that are remembered, in at most 10 MB. One more key makes it forget all others. */
const maxKeys = 10_000;

/** The valid keys that this process has seen. Unknown clients cannot add to them. */
export interface RecentKeys {
  /**
   * Returns whether a key was admitted in the last 10 s.
   *
   * @param now on a monotonic clock, in milliseconds
   */
  has(keyHash: string, now: number): boolean;
  /** Returns the limit headers of the last decision on a key, however long ago; undefined if unknown. */
  lastLimits(keyHash: string): LimitHeaders | undefined;
  /** Notes that a key was admitted. */
  admitted(keyHash: string, now: number, limits: LimitHeaders): void;
  /** Notes that a valid key was refused, for its limits or a ban. */
  refused(keyHash: string, limits: LimitHeaders): void;
  /** Forgets a key that is not valid. */
  forget(keyHash: string): void;
}

/** The time of admission of a key that was not admitted. */
const never = Number.NEGATIVE_INFINITY;

/** What is known of a key. */
interface Known {
  /** When it was admitted, unless it was refused since. */
  admittedAt: number;
  limits: LimitHeaders;
}

/** Makes a {@link RecentKeys}. */
export function createRecentKeys(): RecentKeys {
  const keys = new Map<string, Known>();

  function note(keyHash: string, admittedAt: number, limits: LimitHeaders): void {
    const known = keys.get(keyHash);
    if (known) {
      known.admittedAt = admittedAt;
      known.limits = limits;
      return;
    }
    if (keys.size >= maxKeys) keys.clear();
    keys.set(keyHash, { admittedAt, limits });
  }

  return {
    has: (keyHash, now) => now - (keys.get(keyHash)?.admittedAt ?? never) < recentMs,
    lastLimits: (keyHash) => keys.get(keyHash)?.limits,
    admitted: note,
    refused: (keyHash, limits) => note(keyHash, never, limits),
    forget: (keyHash) => void keys.delete(keyHash),
  };
}
