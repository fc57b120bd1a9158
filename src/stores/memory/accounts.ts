import { accountOfKeyId } from "../../access/api-key.ts";
import { banEnd } from "../../access/bans.ts";
import type { Network } from "../../access/network.ts";
import type { AccountRecord, KeyRecord, NewKey } from "../account-store.ts";
import type { KeyState } from "../admission-store.ts";
import type { RequestCounts } from "../usage-store.ts";
import { type BanState, newBanState } from "./ban-ladder.ts";
import type { QuotaCounter } from "./quota-counter.ts";

/** A stored key. */
export interface MemoryKey extends NewKey {
  readonly networks: readonly Network[];
  readonly createdAt: number;
  expiresAt: number | undefined;
  revokedAt: number | undefined;
  lastUsedAt: number | undefined;
  banState: BanState;
}

/** An account with its keys, by hash, and its windows. */
export interface MemoryAccount {
  record: AccountRecord;
  readonly keys: Map<string, MemoryKey>;
  readonly counter: QuotaCounter;
  readonly usage: MemoryUsage;
}

/** The requests of an account, by the number of the minute and of the day, both counted from the epoch. */
export interface MemoryUsage {
  readonly minutes: Map<number, RequestCounts>;
  /** For each day the requests of each key, by its id. */
  readonly days: Map<number, Map<string, RequestCounts>>;
}

/** All accounts, by id, in order of creation. The account and the admission store share them. */
export type MemoryAccounts = Map<string, MemoryAccount>;

/** Returns a key and its account; undefined when there is no such key. */
export function findKey(accounts: MemoryAccounts, keyId: string) {
  const account = accounts.get(accountOfKeyId(keyId));
  const key = account && [...account.keys.values()].find((each) => each.keyId === keyId);
  return account && key ? { account, key } : undefined;
}

/** Whether a key is valid, whatever the state of its account. */
export function keyState(key: MemoryKey, clock: number): Exclude<KeyState["state"], "disabled"> {
  if (key.revokedAt !== undefined) return "revoked";
  return key.expiresAt !== undefined && clock >= key.expiresAt ? "expired" : "valid";
}

/** Makes a key that was never used. */
export function newMemoryKey(key: NewKey, createdAt: number): MemoryKey {
  return {
    ...key,
    networks: key.networks ?? [],
    createdAt,
    revokedAt: undefined,
    lastUsedAt: undefined,
    banState: newBanState(),
  };
}

/** Converts a key to the record that the account store returns, and nothing else that the caller has given, such as a secret. */
export function keyRecord(key: MemoryKey, now: number): KeyRecord {
  const { keyId, name, scopes, networks, createdAt } = key;
  const { expiresAt, revokedAt, lastUsedAt, banState } = key;
  const bannedUntil = banEnd(banState.level, banState.bannedUntil, now);
  return {
    keyId,
    name,
    scopes,
    networks,
    createdAt,
    expiresAt,
    revokedAt,
    lastUsedAt,
    bannedUntil: bannedUntil > now ? bannedUntil : undefined,
  };
}
