import {
  type AddressCounter,
  counterPartitions,
  countersOf,
  countersPerPartition,
} from "../../access/address-counters.ts";
import { accountOfKeyId } from "../../access/api-key.ts";
import { type Limits, limitsOf } from "../../access/plans.ts";
import { dayWindow } from "../../access/windows.ts";
import { minuteMs } from "../../call/durations.ts";
import type { AdmissionStore, KeyDecision, KeyState, Quota } from "../admission-store.ts";
import type { MemoryAccount, MemoryAccounts, MemoryKey } from "./accounts.ts";
import { recordRefusal } from "./ban-ladder.ts";
import {
  chargeRequest,
  countRequest,
  giveBack,
  newQuotaCounter,
  type QuotaCounter,
  windowQuotas,
} from "./quota-counter.ts";

/** Address counters in use before partitions share counters. */
const maxOwnCounters = countersPerPartition;
/** How long without a request until an address counter is surely empty, in milliseconds. */
const idleMs = dayWindow.bucketMs * (dayWindow.buckets + 2);
/** The shortest time between two sweeps of idle address counters, in milliseconds. */
const sweepMs = 60_000;

/**
 * Makes the admission store in memory.
 *
 * @param now the clock, in milliseconds since the epoch
 */
export function createMemoryAdmissionStore(
  accounts: MemoryAccounts,
  now: () => number,
): AdmissionStore {
  /** At most 8,192 counters of at most 6 KB each. */
  const addresses = new Map<number, QuotaCounter>();
  let lastSweep = Number.NEGATIVE_INFINITY;

  function counted({ partition, index, limits }: AddressCounter, time: number): Counted {
    const ownId = partition * countersPerPartition + index;
    const sharedId = counterPartitions * countersPerPartition + index;
    // Once an address has been counted in a shared counter, it stays there.
    let counter = addresses.get(ownId) ?? addresses.get(sharedId);
    if (!counter) {
      if (addresses.size >= maxOwnCounters) sweep(time);
      counter = newQuotaCounter();
      addresses.set(addresses.size < maxOwnCounters ? ownId : sharedId, counter);
    }
    return { counter, limits };
  }

  function sweep(time: number): void {
    if (time - lastSweep < sweepMs) return;
    lastSweep = time;
    for (const [id, counter] of addresses) {
      if (counter.time < time - idleMs) addresses.delete(id);
    }
  }

  return {
    async admitKey(accountId, keyHash, _, most = 1) {
      const account = accounts.get(accountId);
      const key = account?.keys.get(keyHash);
      return account && key ? decide(account, key, now(), most) : { verdict: "unknown" };
    },

    async charge({ accountId, keyHash, countedAt }, requests) {
      const account = accounts.get(accountId);
      const key = account?.keys.get(keyHash);
      if (!account || !key) return { verdict: "unknown" };
      const { counter } = account;
      const at = Math.max(now(), counter.time);
      if (account.record.disabledAt !== undefined) {
        giveBack(counter, at, countedAt);
        return disabled(account, at);
      }
      if (at < key.banState.bannedUntil) {
        giveBack(counter, at, countedAt);
        return banned(key, account, at, requests);
      }
      const limits = limitsOf(account.record.choice);
      const quota = chargeRequest(counter, limits, at, countedAt, requests);
      return unlessBanned(quota, account, key, at, requests);
    },

    async admitAddress(address, limits) {
      const [own, ...wider] = countersOf(address, limits);
      const time = now();
      const counters = wider.map((counter) => counted(counter, time));
      return countInEach(counted(own, time), counters, time);
    },

    async keyStates(keyIds) {
      const clock = now();
      return keyIds.map((keyId) => {
        const account = accounts.get(accountOfKeyId(keyId));
        const key = [...(account?.keys.values() ?? [])].find((each) => each.keyId === keyId);
        if (!account || !key) return "unknown";
        const state = stateOf(key, clock);
        return state === "valid" && account.record.disabledAt !== undefined ? "disabled" : state;
      });
    },
  };
}

/** Whether a key is valid, whatever the state of its account. */
function stateOf(key: MemoryKey, clock: number): Exclude<KeyState, "disabled"> {
  if (key.revokedAt !== undefined) return "revoked";
  return key.expiresAt !== undefined && clock >= key.expiresAt ? "expired" : "valid";
}

function decide(account: MemoryAccount, key: MemoryKey, clock: number, most: number): KeyDecision {
  const state = stateOf(key, clock);
  if (state !== "valid") return { verdict: state };
  key.lastUsedAt = Math.floor(clock / minuteMs) * minuteMs;
  const { counter } = account;
  const limits = limitsOf(account.record.choice);
  const caller = {
    accountId: account.record.accountId,
    keyId: key.keyId,
    scopes: new Set(key.scopes),
  };
  const { plan } = account.record.choice;
  const now = Math.max(clock, counter.time);
  if (account.record.disabledAt !== undefined) {
    return { caller, plan, ...disabled(account, now) };
  }
  if (now < key.banState.bannedUntil) {
    return { caller, plan, ...banned(key, account, now, 1) };
  }
  const quota = countRequest(counter, limits, now, most);
  return { caller, plan, ...unlessBanned(quota, account, key, now, 1) };
}

/**
 * Records a refusal.
 *
 * @param requests the number of requests that the waits of a ban are for
 * @returns the quota, or that of a ban when there were too many refusals
 */
function unlessBanned(
  quota: Quota,
  account: MemoryAccount,
  key: MemoryKey,
  now: number,
  requests: number,
): Quota {
  if (quota.verdict === "limited") {
    recordRefusal(key.banState, limitsOf(account.record.choice), now);
    const { level, bannedUntil } = key.banState;
    if (now < bannedUntil) {
      return { ...banned(key, account, now, requests), ban: { level, until: bannedUntil } };
    }
  }
  return quota;
}

function banned(
  key: MemoryKey,
  { counter, record }: MemoryAccount,
  now: number,
  requests: number,
): Quota {
  return {
    verdict: "banned",
    windows: windowQuotas(counter, limitsOf(record.choice), now, requests),
    retryInMs: key.banState.bannedUntil - now,
    countedAt: 0,
    decidedAt: now,
  };
}

function disabled({ counter, record }: MemoryAccount, now: number): Quota {
  return {
    verdict: "disabled",
    windows: windowQuotas(counter, limitsOf(record.choice), now, 1),
    retryInMs: 0,
    countedAt: 0,
    decidedAt: now,
  };
}

/** A counter and its limits. */
interface Counted {
  readonly counter: QuotaCounter;
  readonly limits: Limits;
}

/**
 * Counts a request in all counters if all of them admit it.
 *
 * @returns the decision of the address's own counter, or of the counter that refuses for longest
 */
function countInEach(own: Counted, wider: readonly Counted[], now: number): Quota {
  let longest: Quota | undefined;
  for (const { counter, limits } of [own, ...wider]) {
    const after = windowQuotas(counter, limits, now, 1);
    const retryInMs = Math.max(after.minute.waitMs, after.day.waitMs);
    if (retryInMs > (longest?.retryInMs ?? 0)) {
      const decidedAt = Math.max(now, counter.time);
      longest = { verdict: "limited", windows: after, retryInMs, countedAt: 0, decidedAt };
    }
  }
  if (longest) return longest;
  for (const { counter, limits } of wider) countRequest(counter, limits, now);
  return countRequest(own.counter, own.limits, now);
}
