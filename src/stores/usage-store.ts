import type { Limits } from "../access/plans.ts";
import type { CountedOutcome } from "../access/usage-counter.ts";
import type { CallContext } from "../common/call-context.ts";
import type { KeyRecord } from "./account-store.ts";
import type { WindowQuotas } from "./admission-store.ts";

export type RequestCounts = Readonly<Record<CountedOutcome, number>>;

export interface KeyMinute extends RequestCounts {
  readonly accountId: string;
  readonly keyId: string;
  /** The number of the minute, counted from the epoch. */
  readonly minute: number;
}

/** The ban of a key. */
export interface KnownBan {
  readonly keyId: string;
  /** When the ban began and when it ends, in milliseconds since the epoch. */
  readonly since: number;
  readonly until: number;
}

/** What one process has counted. */
export interface UsageBatch {
  /** Of accounts in the same slot. */
  readonly counts: readonly KeyMinute[];
  /** Of keys of accounts in the same slot. */
  readonly bans: readonly KnownBan[];
}

export interface KeyDay {
  readonly keyId: string;
  readonly requests: RequestCounts;
}

/** The stored requests of an account. */
export interface StoredUsage {
  /** By the number of the minute, counted from the epoch. At least the last 60 minutes. Minutes without requests are absent. */
  readonly minutes: ReadonlyMap<number, RequestCounts>;
  /** By the number of the day, counted from the epoch. Days without requests are absent. */
  readonly days: ReadonlyMap<number, readonly KeyDay[]>;
}

/** What is left of the limits of an account. */
export interface QuotaNow {
  /** The time by the store's clock, in milliseconds since the epoch. */
  readonly now: number;
  readonly windows: WindowQuotas;
}

/** What a list of accounts is ordered by. */
export type TopOrder = "requests" | "refused";

export interface BannedKey {
  readonly key: KeyRecord & { readonly bannedUntil: number };
  readonly accountName: string;
  /** The number of bans in a row, from 1 to 5. */
  readonly level: number;
}

/** A position in the list of bans: after this one. */
export type BanPosition = Pick<KnownBan, "until" | "keyId">;

/** Order of a list of bans: by the time when they end, then by key. */
export function firstToEnd(a: BanPosition, b: BanPosition): number {
  if (a.keyId === b.keyId) return 0;
  return a.until - b.until || (a.keyId < b.keyId ? -1 : 1);
}

export interface BanPage {
  /** Those that end first at the beginning. May be fewer than the limit, or none, even when another page follows. */
  readonly bans: readonly BannedKey[];
  /** Where the next page begins; undefined when this is the last page. */
  readonly next: BanPosition | undefined;
}

/** The most keys of an account whose requests are stored for a day. Requests of further ones count together. */
export const maxKeysPerDay = 1_000;

/** The key id under which the requests of further keys count. */
export const otherKeys = "";

/** Days that are reported, including today. */
export const reportedDays = 30;

/** The most keys of a day that are reported: those with the most requests. */
export const reportedKeys = 100;

/** Minutes that are reported, including the current one. */
export const reportedMinutes = 60;

/** Days after which the counts of a day are deleted. */
export const storedDays = 32;

/** Hours after which the counts of an hour are deleted. */
export const storedHours = 3;

/** Requests that were made, for reports. */
export interface UsageStore {
  /** Returns a number that is the same for accounts whose counts can be in one batch. */
  slotOf(accountId: string): number;
  /**
   * Adds what a process has counted. Returns false when nothing was added, because the store cannot be reached.
   *
   * @throws ConnectError unavailable when it is not known whether the counts were added: added again, they could count twice
   */
  add(batch: UsageBatch): Promise<boolean>;
  /** Returns what is left of the limits of an account. Counts nothing. */
  quota(accountId: string, limits: Limits, context?: CallContext): Promise<QuotaNow>;
  /** Returns the stored requests of an account. @param now by the store's clock @param days including today */
  read(accountId: string, now: number, days: number, context?: CallContext): Promise<StoredUsage>;
  /** Returns the accounts with the most requests of today, most first. */
  top(order: TopOrder, limit: number, context?: CallContext): Promise<string[]>;
  /** Returns a page of the banned keys. @param after `next` of the page before; undefined for the first page */
  bans(after: BanPosition | undefined, limit: number, context?: CallContext): Promise<BanPage>;
}

export const noRequests: RequestCounts = { admitted: 0, limited: 0, banned: 0 };

export function sumOf(a: RequestCounts, b: RequestCounts): RequestCounts {
  return {
    admitted: a.admitted + b.admitted,
    limited: a.limited + b.limited,
    banned: a.banned + b.banned,
  };
}

export function totalOf({ admitted, limited, banned }: RequestCounts): number {
  return admitted + limited + banned;
}

/** Compares the requests of keys: those with the most requests first. */
export function mostRequestsFirst(a: KeyDay, b: KeyDay): number {
  return totalOf(b.requests) - totalOf(a.requests) || (a.keyId < b.keyId ? -1 : 1);
}
