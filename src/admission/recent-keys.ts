import type { Credentials } from "./credentials.ts";
import type { LimitHeaders } from "./limit-headers.ts";

/** How long an admitted key is likely to be admitted again, in milliseconds. */
const recentMs = 10_000;

/** Most keys that are remembered, in at most 10 MB. Adding one more forgets all others. */
const maxKeys = 10_000;

interface Decision {
  admittedAt: number;
  limits: LimitHeaders;
  place: string | undefined;
}

/** The use of a key at an address. */
interface KeyUse extends Pick<Credentials, "key"> {
  address(): string;
}

/**
 * Remembers the last decisions of this process on valid keys. Requests without a valid key add nothing. All times are on
 * a monotonic clock, in milliseconds.
 */
export function createRecentKeys() {
  const keys = new Map<string, Decision>();

  /** Returns the last decision on the key of an applicant at its address. */
  function find(applicant: KeyUse): Decision | undefined {
    const decision = applicant.key && keys.get(applicant.key.hash);
    if (decision?.place === undefined) return decision;
    return decision.place === applicant.address() ? decision : undefined;
  }

  return {
    /** Returns whether a key was admitted in the last 10 s, and not refused since. */
    wasAdmitted(applicant: KeyUse): boolean {
      const decision = find(applicant);
      return decision !== undefined && performance.now() - decision.admittedAt < recentMs;
    },
    /**
     * Returns the limit headers of this process's last decision on a key, for the responses to requests that could not
     * be counted; undefined when the process does not remember the key.
     */
    lastLimits: (applicant: KeyUse) => find(applicant)?.limits,
    /**
     * Records a decision on a valid key.
     *
     * @param admittedAt negative infinity when the key was refused
     * @param place the address of the client if the key has networks, because the decision may differ elsewhere
     */
    record(keyHash: string, admittedAt: number, limits: LimitHeaders, place?: string): void {
      const last = keys.get(keyHash);
      if (last) {
        // A new object for each request would cost more.
        last.admittedAt = admittedAt;
        last.limits = limits;
        last.place = place;
        return;
      }
      if (keys.size >= maxKeys) keys.clear();
      keys.set(keyHash, { admittedAt, limits, place });
    },
    forget: (keyHash: string) => void keys.delete(keyHash),
  };
}
