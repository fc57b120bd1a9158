import type { AdmissionStore, KeyDecision, KeyState } from "../access/admission-store.ts";
import { accountOfKeyId } from "../access/api-key.ts";
import { limitsOf } from "../access/plans.ts";
import type { MemoryAccount, MemoryAccounts, MemoryKey } from "./accounts.ts";
import { recordRefusal } from "./ban-ladder.ts";
import { countRequest, newQuotaCounter, type QuotaCounter, standings } from "./quota-counter.ts";

const dayMs = 86_400_000;
/** Addresses kept before the idle ones are forgotten: bounds the memory that strangers can fill. */
const sweepAt = 10_000;

/**
 * Admission within the process.
 *
 * @param now the clock, in milliseconds since the epoch
 */
export function createMemoryAdmissionStore(
  accounts: MemoryAccounts,
  now: () => number,
): AdmissionStore {
  const addresses = new Map<string, QuotaCounter>();
  let nextSweep = sweepAt;

  function sweep(clock: number): void {
    for (const [address, counter] of addresses) {
      if (counter.time < clock - 2 * dayMs) {
        addresses.delete(address);
      }
    }
    nextSweep = Math.max(sweepAt, addresses.size * 2);
  }

  return {
    async admitKey(accountId, keyHash) {
      const account = accounts.get(accountId);
      const key = account?.keys.get(keyHash);
      return account && key ? decide(account, key, now()) : { verdict: "unknown" };
    },

    async admitAddress(address, limits) {
      const clock = now();
      let counter = addresses.get(address);
      if (!counter) {
        if (addresses.size >= nextSweep) {
          sweep(clock);
        }
        counter = newQuotaCounter();
        addresses.set(address, counter);
      }
      return countRequest(counter, limits, clock);
    },

    async keyStates(keyIds) {
      const clock = now();
      return keyIds.map((keyId) => {
        const keys = accounts.get(accountOfKeyId(keyId))?.keys.values() ?? [];
        const key = [...keys].find((each) => each.keyId === keyId);
        return key ? stateOf(key, clock) : "unknown";
      });
    },
  };
}

function stateOf(key: MemoryKey, clock: number): KeyState {
  if (key.revokedAt !== undefined) return "revoked";
  return key.expiresAt !== undefined && clock >= key.expiresAt ? "expired" : "valid";
}

function decide(account: MemoryAccount, key: MemoryKey, clock: number): KeyDecision {
  const state = stateOf(key, clock);
  if (state !== "valid") return { verdict: state };
  key.lastUsedAt = Math.floor(clock / 60_000) * 60_000;
  const { counter } = account;
  const limits = limitsOf(account.record.choice);
  const caller = {
    accountId: account.record.accountId,
    keyId: key.keyId,
    scopes: new Set(key.scopes),
  };
  const now = Math.max(clock, counter.time);
  if (now < key.conduct.bannedUntil) {
    return { caller, ...banned(key, account, now) };
  }
  const quota = countRequest(counter, limits, now);
  if (quota.verdict === "limited") {
    recordRefusal(key.conduct, limits, now);
    if (now < key.conduct.bannedUntil) {
      return { caller, ...banned(key, account, now) };
    }
  }
  return { caller, ...quota };
}

function banned(key: MemoryKey, { counter, record }: MemoryAccount, now: number) {
  return {
    verdict: "banned",
    standings: standings(counter, limitsOf(record.choice), now),
    retryInMs: key.conduct.bannedUntil - now,
  } as const;
}
