import {
  type AccountStore,
  maxKeysPerAccount,
  oldestAccountFirst,
  oldestKeyFirst,
} from "../account-store.ts";
import {
  findKey,
  keyRecord,
  keyState,
  type MemoryAccount,
  type MemoryAccounts,
  type MemoryKey,
  newMemoryKey,
} from "./accounts.ts";
import { newBanState } from "./ban-ladder.ts";
import type { MemoryRevocations } from "./history.ts";
import { newQuotaCounter } from "./quota-counter.ts";

/** Makes the store of accounts in memory. @param now the clock, in milliseconds since the epoch */
export function createMemoryAccountStore(
  accounts: MemoryAccounts,
  revocations: MemoryRevocations,
  now: () => number,
): AccountStore {
  /** The ids of deleted accounts: few bytes, compared with what accounts take. */
  const deleted = new Set<string>();

  function endWatches(id: string): void {
    for (const onRevoked of revocations) onRevoked(id);
  }

  function change(keyId: string, apply: (key: MemoryKey) => void) {
    const found = findKey(accounts, keyId);
    if (!found) return undefined;
    apply(found.key);
    return keyRecord(found.key, now());
  }

  return {
    async createAccount(accountId, name, choice) {
      const record = { accountId, name, choice, createdAt: now(), isStrict: false };
      const usage = { minutes: new Map(), days: new Map() };
      accounts.set(accountId, { record, keys: new Map(), counter: newQuotaCounter(), usage });
      return record;
    },
    async getAccount(accountId) {
      return accounts.get(accountId)?.record;
    },
    async listAccounts(after, limit) {
      const rest = [...accounts.values()]
        .map(({ record }) => record)
        .filter((record) => after === undefined || oldestAccountFirst(record, after) > 0)
        .sort(oldestAccountFirst);
      const page = rest.slice(0, limit);
      const last = rest.length > limit ? page.at(-1) : undefined;
      const next = last && { createdAt: last.createdAt, accountId: last.accountId };
      return { accounts: page, next };
    },
    async wasCreated(accountId) {
      return accounts.has(accountId) || deleted.has(accountId);
    },
    async update(accountId, { name, choice, policy, state }) {
      const account = accounts.get(accountId);
      if (!account) return undefined;
      const { record } = account;
      const { disabledAt = now() } = record;
      account.record = {
        ...record,
        ...(name !== undefined && { name }),
        ...(choice && { choice }),
        ...(policy && { isStrict: policy === "strict" }),
        ...(state && { disabledAt: state === "disabled" ? disabledAt : undefined }),
      };
      if (state === "disabled") endWatches(accountId);
      return account.record;
    },
    async remove(accountId) {
      const account = accounts.get(accountId);
      accounts.delete(accountId);
      if (account) deleted.add(accountId);
      endWatches(accountId);
      return account && { account: account.record, keys: account.keys.size };
    },
    async unlist() {
      return false;
    },
    async createKey(accountId, key) {
      const account = accounts.get(accountId);
      if (!account) return "no_account";
      const clock = now();
      if (key.expiresAt !== undefined && key.expiresAt <= clock) return "expires_in_past";
      if (!makeRoom(account, clock)) return "too_many_keys";
      const created = newMemoryKey(key, clock);
      account.keys.set(key.keyHash, created);
      return keyRecord(created, clock);
    },
    async listKeys(accountId) {
      const keys = accounts.get(accountId)?.keys.values();
      return keys && [...keys.map((key) => keyRecord(key, now()))].sort(oldestKeyFirst);
    },
    async revokeKey(keyId) {
      const revoked = change(keyId, (key) => {
        key.revokedAt ??= now();
      });
      endWatches(keyId);
      return revoked;
    },
    async rotateKey(keyId, replacement, graceMs) {
      const found = findKey(accounts, keyId);
      if (!found) return "no_key";
      const { account, key } = found;
      const clock = now();
      if (keyState(key, clock) !== "valid") return "not_valid";
      if (!makeRoom(account, clock)) return "too_many_keys";
      key.expiresAt = Math.min(key.expiresAt ?? Number.POSITIVE_INFINITY, clock + graceMs);
      if (graceMs === 0) key.revokedAt = clock;
      const { name, scopes, networks } = key;
      const made = { ...replacement, name, scopes, networks, expiresAt: undefined };
      const created = newMemoryKey(made, clock);
      account.keys.set(created.keyHash, created);
      endWatches(keyId);
      return { created: keyRecord(created, clock), rotated: keyRecord(key, clock) };
    },
    async unbanKey(keyId) {
      return change(keyId, (key) => {
        key.banState = newBanState();
      });
    },
  };
}

/** Deletes revoked and expired keys if the account has the most keys. @returns whether it can have another one */
function makeRoom({ keys }: MemoryAccount, clock: number): boolean {
  if (keys.size < maxKeysPerAccount) return true;
  for (const [hash, key] of keys) if (keyState(key, clock) !== "valid") keys.delete(hash);
  return keys.size < maxKeysPerAccount;
}
