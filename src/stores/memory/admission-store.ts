import { countersOf } from "../../access/address-counters.ts";
import { banEnd } from "../../access/bans.ts";
import { limitsOf } from "../../access/plans.ts";
import { effectiveScopes } from "../../access/scopes.ts";
import { minuteMs } from "../../common/durations.ts";
import { present } from "../../common/present.ts";
import type { AdmissionStore, KeyDecision, Quota, RequestHead } from "../admission-store.ts";
import {
  findKey,
  keyState,
  type MemoryAccount,
  type MemoryAccounts,
  type MemoryKey,
} from "./accounts.ts";
import { recordRefusal } from "./ban-ladder.ts";
import {
  chargeRequest,
  countRequest,
  giveBack,
  limited,
  newQuotaCounter,
  type QuotaCounter,
  windowQuotas,
} from "./quota-counter.ts";

/** Makes the admission store in memory. @param now the clock, in milliseconds since the epoch */
export function createMemoryAdmissionStore(
  accounts: MemoryAccounts,
  now: () => number,
): AdmissionStore {
  /** By their index: all partitions share the counters of one, so there are at most 4,096 of at most 6 kB each. */
  const addresses = new Map<number, QuotaCounter>();

  return {
    async admitKey(accountId, keyHash, _, head) {
      const account = accounts.get(accountId);
      const key = account?.keys.get(keyHash);
      return account && key ? decide(account, key, now(), head) : { verdict: "unknown" };
    },
    async charge({ accountId, keyHash, countedAt }, requests) {
      const account = accounts.get(accountId);
      const key = account?.keys.get(keyHash);
      if (!account || !key) return { verdict: "unknown" };
      const { counter, record } = account;
      const at = now();
      if (isShut(account, key, at)) {
        giveBack(counter, at, countedAt);
        return shut(account, key, at, requests);
      }
      const quota = chargeRequest(counter, limitsOf(record.choice), at, { countedAt, requests });
      return afterRefusal(quota, account, key, requests);
    },
    async countAddress(address, limits) {
      const clock = now();
      const counters = countersOf(address, limits).map((own) => {
        return { ...own, counter: addresses.getOrInsertComputed(own.index, newQuotaCounter) };
      });
      let longest: Quota | undefined;
      for (const own of counters) {
        const refusal = limited(own.counter, own.limits, clock, 1);
        if (refusal.retryInMs > (longest?.retryInMs ?? 0)) longest = refusal;
      }
      if (longest) return longest;
      const [own] = counters.map((each) => countRequest(each.counter, each.limits, clock));
      return present(own, "the counter of an address");
    },
    async keyStates(keyIds) {
      const clock = now();
      return keyIds.map((keyId) => {
        const found = findKey(accounts, keyId);
        if (!found) return { state: "unknown", expiresAt: undefined };
        const state = keyState(found.key, clock);
        const isDisabled = found.account.record.disabledAt !== undefined;
        const { expiresAt } = found.key;
        return { state: state === "valid" && isDisabled ? "disabled" : state, expiresAt };
      });
    },
  };
}

function decide(
  account: MemoryAccount,
  key: MemoryKey,
  clock: number,
  head: RequestHead | undefined,
): KeyDecision {
  const state = keyState(key, clock);
  if (state !== "valid") return { verdict: state };
  const isRestricted = key.networks.length > 0;
  if (isRestricted) {
    const address = head?.network() ?? "";
    if (!key.networks.some((network) => address.startsWith(network))) {
      return { verdict: "address_not_allowed", keyId: key.keyId };
    }
  }
  key.lastUsedAt = Math.floor(clock / minuteMs) * minuteMs;
  const { counter, record } = account;
  const { plan } = record.choice;
  const caller = {
    accountId: record.accountId,
    keyId: key.keyId,
    scopes: effectiveScopes(key.scopes),
    isStrict: record.isStrict,
  };
  const { expiresAt } = key;
  const about = { caller, plan, expiresAt, isRestricted };
  if (isShut(account, key, clock)) return { ...about, ...shut(account, key, clock, 1) };
  const quota = countRequest(counter, limitsOf(record.choice), clock, head?.batch?.most);
  return { ...about, ...afterRefusal(quota, account, key, 1) };
}

/** Returns whether the account is disabled or the key banned. */
function isShut({ record }: MemoryAccount, { banState }: MemoryKey, now: number): boolean {
  return record.disabledAt !== undefined || now < banEnd(banState.level, banState.bannedUntil, now);
}

/** Returns the refusal of a request of a disabled account or a banned key, whose waits are for a number of requests. */
function shut(
  { counter, record }: MemoryAccount,
  { banState }: MemoryKey,
  now: number,
  requests: number,
): Quota {
  const isDisabled = record.disabledAt !== undefined;
  return {
    verdict: isDisabled ? "disabled" : "banned",
    windows: windowQuotas(counter, limitsOf(record.choice), now, isDisabled ? 1 : requests),
    retryInMs: isDisabled ? 0 : banState.bannedUntil - now,
    countedAt: 0,
    decidedAt: now,
  };
}

/** Records a refusal. Returns the quota, or after too many refusals that of a ban, whose waits are for `requests`. */
function afterRefusal(
  quota: Quota,
  account: MemoryAccount,
  key: MemoryKey,
  requests: number,
): Quota {
  const { verdict, decidedAt } = quota;
  if (verdict !== "limited") return quota;
  recordRefusal(key.banState, limitsOf(account.record.choice), decidedAt);
  const { level, bannedUntil } = key.banState;
  if (decidedAt >= banEnd(level, bannedUntil, decidedAt)) return quota;
  return { ...shut(account, key, decidedAt, requests), ban: { level, until: bannedUntil } };
}
