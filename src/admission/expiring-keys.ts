import { dayMs } from "../common/durations.ts";

/** A key is counted when it expires within this time, in milliseconds: 14 days. */
const expirySoonMs = 14 * dayMs;

/** A key that is not used for this long is not counted any more, in milliseconds. */
const unusedMs = dayMs;

/** Most keys that are counted: about 2 MB. */
const maxKeys = 10_000;

/** A key that expires soon. Times are in milliseconds since the epoch. */
interface ExpiringKey {
  expiresAt: number;
  usedAt: number;
}

export type ExpiringKeys = ReturnType<typeof createExpiringKeys>;

/**
 * Counts keys that this process has admitted in the last day and that expire within 14 days. Admission reads the expiry
 * with the key, so this needs no request to Redis. It takes nothing for keys that do not expire. Times are in
 * milliseconds since the epoch.
 */
export function createExpiringKeys() {
  const keys = new Map<string, ExpiringKey>();
  return {
    admitted(keyHash: string, expiresAt: number, now: number): void {
      const known = keys.get(keyHash);
      if (known) {
        known.expiresAt = expiresAt;
        known.usedAt = now;
      } else if (expiresAt - now <= expirySoonMs && keys.size < maxKeys) {
        keys.set(keyHash, { expiresAt, usedAt: now });
      }
    },
    forget: (keyHash: string) => void keys.delete(keyHash),
    count(now: number): number {
      for (const [keyHash, { expiresAt, usedAt }] of keys) {
        if (now >= expiresAt || now - usedAt >= unusedMs) keys.delete(keyHash);
      }
      return keys.size;
    },
  };
}
