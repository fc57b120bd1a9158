import type { AccountRecord, KeyRecord, NewKey } from "../access/account-store.ts";
import { type Conduct, newConduct } from "./ban-ladder.ts";
import { newQuotaCounter, type QuotaCounter } from "./quota-counter.ts";

/** A key with all that is kept of it. */
export interface MemoryKey extends NewKey {
  readonly createdAt: number;
  expiresAt: number | undefined;
  revokedAt: number | undefined;
  lastUsedAt: number | undefined;
  conduct: Conduct;
}

/** An account with its keys, by hash, and its counters. */
export interface MemoryAccount {
  record: AccountRecord;
  readonly keys: Map<string, MemoryKey>;
  readonly counter: QuotaCounter;
}

/** All accounts, by id, in order of creation. What the account and the admission store share. */
export type MemoryAccounts = Map<string, MemoryAccount>;

/** An account without keys. */
export function newMemoryAccount(record: AccountRecord): MemoryAccount {
  return { record, keys: new Map(), counter: newQuotaCounter() };
}

/** A key that was never used. */
export function newMemoryKey(key: NewKey, createdAt: number): MemoryKey {
  return {
    ...key,
    createdAt,
    revokedAt: undefined,
    lastUsedAt: undefined,
    conduct: newConduct(),
  };
}

/** A key as the account store tells it. */
export function keyRecord(key: MemoryKey, now: number): KeyRecord {
  const { keyId, name, scopes, createdAt, expiresAt, revokedAt, lastUsedAt, conduct } = key;
  const bannedUntil = conduct.bannedUntil > now ? conduct.bannedUntil : undefined;
  return { keyId, name, scopes, createdAt, expiresAt, revokedAt, lastUsedAt, bannedUntil };
}
