import type { Network } from "../access/network.ts";
import type { PlanChoice } from "../access/plans.ts";
import type { Scope } from "../access/scopes.ts";
import type { CallContext } from "../common/call-context.ts";
import { dayMs } from "../common/durations.ts";

/** An account as stored. Times are milliseconds since the epoch. */
export interface AccountRecord {
  readonly accountId: string;
  readonly name: string;
  readonly choice: PlanChoice;
  readonly createdAt: number;
  /** Undefined if the account is enabled. */
  readonly disabledAt?: number | undefined;
  /** Whether changes of the stock need conditions and idempotency keys. */
  readonly isStrict: boolean;
}

/** What an update of an account sets. Absent members stay. */
export interface AccountChange {
  readonly name?: string;
  readonly choice?: PlanChoice;
  /** `strict` if changes of the stock need conditions and idempotency keys. */
  readonly policy?: "any" | "strict";
  /** A disabled account keeps the time when it was first disabled. */
  readonly state?: "enabled" | "disabled";
}

/** A position in the list of accounts: after this account. */
export type AccountPosition = Pick<AccountRecord, "createdAt" | "accountId">;

/** A page of the accounts. */
export interface AccountPage {
  /** Oldest first. May be fewer than the limit, or empty, even when another page follows. */
  readonly accounts: readonly AccountRecord[];
  /** Where the next page begins; undefined when this is the last page. */
  readonly next: AccountPosition | undefined;
}

/** An API key as stored, without its secret. Times are milliseconds since the epoch. */
export interface KeyRecord {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The networks from which the key can be used; all if empty. They never change. */
  readonly networks: readonly Network[];
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** Rounded down to the minute. */
  readonly lastUsedAt: number | undefined;
  readonly bannedUntil: number | undefined;
}

export interface NewKey {
  readonly keyId: string;
  readonly keyHash: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | undefined;
  /** All addresses if absent or empty. */
  readonly networks?: readonly Network[];
}

/** The most keys of an account. When it is reached, creating a key first deletes revoked and expired keys. */
export const maxKeysPerAccount = 1_000;

/** How long deletions are remembered, in milliseconds. An account that a failover brings back is deleted again. */
export const rememberedDeletionMs = 30 * dayMs;

/** Order of a list of accounts: by time of creation, then by id. */
export function oldestAccountFirst(a: AccountPosition, b: AccountPosition): number {
  if (a.accountId === b.accountId) return 0;
  return a.createdAt - b.createdAt || (a.accountId < b.accountId ? -1 : 1);
}

/** A position in the list of an account's keys. */
export type KeyPosition = Pick<KeyRecord, "createdAt" | "keyId">;

/** Order of a list of keys: by time of creation, then by id. */
export function oldestKeyFirst(a: KeyPosition, b: KeyPosition): number {
  if (a.keyId === b.keyId) return 0;
  return a.createdAt - b.createdAt || (a.keyId < b.keyId ? -1 : 1);
}

/**
 * Accounts and their keys. Every change applies to the next request. None is made after the deadline of the context.
 * Functions that change an account or a key return it as it is after the change, or undefined when it does not exist.
 */
export interface AccountStore {
  createAccount(
    accountId: string,
    name: string,
    choice: PlanChoice,
    context?: CallContext,
  ): Promise<AccountRecord>;
  /** @returns undefined when there is no such account */
  getAccount(accountId: string, context?: CallContext): Promise<AccountRecord | undefined>;
  /** Returns a page of the accounts, oldest first. @param after `next` of the page before; undefined for the first page */
  listAccounts(
    after: AccountPosition | undefined,
    limit: number,
    context?: CallContext,
  ): Promise<AccountPage>;
  /** Returns whether an account exists, or its deletion is remembered; false if older data has replaced its data. */
  wasCreated(accountId: string, context?: CallContext): Promise<boolean>;
  update(
    accountId: string,
    change: AccountChange,
    context?: CallContext,
  ): Promise<AccountRecord | undefined>;
  /**
   * Deletes an account with its keys, counters and usage. Requests that a process has not yet shipped can remain until they
   * expire, but no report has them. The account stays in the list, where it is skipped, until it is unlisted, so that an
   * interrupted deletion can be found. Returns the account before the change, and the number of its keys.
   */
  remove(
    accountId: string,
    context?: CallContext,
  ): Promise<{ readonly account: AccountRecord; readonly keys: number } | undefined>;
  /** Removes a deleted account from the list. @returns whether it was there */
  unlist(accountId: string, context?: CallContext): Promise<boolean>;
  /** Stores a key. Its expiry must be in the future by the store's clock. */
  createKey(
    accountId: string,
    key: NewKey,
    context?: CallContext,
  ): Promise<KeyRecord | "no_account" | "too_many_keys" | "expires_in_past">;
  /** @returns all keys of the account, oldest first; undefined when there is no such account */
  listKeys(accountId: string, context?: CallContext): Promise<KeyRecord[] | undefined>;
  revokeKey(keyId: string, context?: CallContext): Promise<KeyRecord | undefined>;
  /** Stores a new key with the name, scopes and networks of an old one, which expires after `graceMs` at the latest. */
  rotateKey(
    keyId: string,
    replacement: { readonly keyId: string; readonly keyHash: string },
    graceMs: number,
    context?: CallContext,
  ): Promise<{ created: KeyRecord; rotated: KeyRecord } | "no_key" | "not_valid" | "too_many_keys">;
  /** Lifts the ban of a key. */
  unbanKey(keyId: string, context?: CallContext): Promise<KeyRecord | undefined>;
}
