/** For how long an admitted key counts as likely to be admitted again, in milliseconds. */
const recentMs = 10_000;
/** Time after which an admission is noted again, in milliseconds: each costs more than to look. */
const noteEveryMs = 1_000;
/** Keys that are noted at a time, about 1 MB. With one more, all are forgotten. */
const maxKeys = 10_000;

/** The keys that this process admitted in the last seconds. Unknown clients can't add to them. */
export interface RecentKeys {
  /** @param now on a monotonic clock, in milliseconds */
  has(keyHash: string, now: number): boolean;
  admitted(keyHash: string, now: number): void;
  /** For a key that was not admitted. */
  refused(keyHash: string): void;
}

/** Notes which keys were admitted lately. */
export function createRecentKeys(): RecentKeys {
  const admittedAt = new Map<string, number>();
  return {
    has: (keyHash, now) => now - (admittedAt.get(keyHash) ?? Number.NEGATIVE_INFINITY) < recentMs,
    admitted(keyHash, now) {
      if (now - (admittedAt.get(keyHash) ?? Number.NEGATIVE_INFINITY) < noteEveryMs) return;
      if (admittedAt.size >= maxKeys) admittedAt.clear();
      admittedAt.set(keyHash, now);
    },
    refused: (keyHash) => void admittedAt.delete(keyHash),
  };
}
