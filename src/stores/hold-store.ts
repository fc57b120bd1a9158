import { HoldState } from "../../gen/store/v1/store_pb.ts";
import type { Costs } from "../access/change-paid.ts";
import type { CallContext } from "../common/call-context.ts";
import { dayMs } from "../common/durations.ts";
import type { BatchRefused } from "./inventory-store.ts";
import type { OrderLimit } from "./order-store.ts";
import type { Origin } from "./stock-change.ts";

/** Units of one pet in a hold. */
export interface HeldItem {
  readonly petId: bigint;
  /** At least 1. */
  readonly quantity: number;
}

/** One hold of an account. */
export interface HoldRecord {
  readonly holdId: string;
  readonly accountId: string;
  /** Each for another pet. */
  readonly items: readonly HeldItem[];
  /** As it is now: a hold whose time is over has expired, even if its units have not returned yet. */
  readonly state: HoldState;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The orders of a confirmed hold, in the order of the items. */
  readonly orderIds: readonly bigint[];
  /** The version of the stock when the hold began. It decides on the place in lists. */
  readonly life: bigint;
}

/** The most active holds of an account. */
export const maxHolds = 1_000;

/** How long an ended hold can be read, in milliseconds. */
export const endedHoldTtlMs = dayMs;

/** The most work of a script call that ends holds, below 2 ms: 1 for each item, and 4 for a hold, or 1 if confirmed. */
export const mostHoldWork = 100;

/** How long a process is the one that sweeps after its last sweep, in milliseconds. */
export const sweeperTtlMs = 1_000;

/** A hold as it is after a call. */
export interface Held {
  readonly kind: "held";
  readonly hold: HoldRecord;
}

/** The state of the hold does not allow the call. */
export interface HoldEnded {
  readonly kind: "ended";
  readonly state: HoldState;
}

/** `no_account`: the account was deleted in the last hour. `active`: the hold is, and must be new. `limit`: it has {@link maxHolds} other active holds. */
export type PutOutcome =
  | Held
  | Costs
  | HoldEnded
  | BatchRefused
  | { readonly kind: "no_account" }
  | { readonly kind: "active" }
  | { readonly kind: "limit" };

/** Which holds a list has. */
export interface HoldQuery {
  /** Those of all accounts if undefined. */
  readonly accountId?: string | undefined;
  /** Only those with units of this pet. */
  readonly petId?: bigint | undefined;
  /** Only those in one of these states, at least one. */
  readonly states: readonly HoldState[];
  /** Only those that began before. All if undefined. */
  readonly before?: bigint | undefined;
  /** The most holds to return. */
  readonly limit: number;
}

/** What a hold is to be. */
export interface WantedHold {
  /** Each for another pet. */
  readonly items: readonly HeldItem[];
  /** The time until the hold expires, in milliseconds. */
  readonly ttlMs: number;
  /** Whether to leave an active hold as it is. */
  readonly isNew?: boolean;
}

export interface HoldChange {
  readonly origin?: Origin;
  readonly context?: CallContext;
  /** If the hold has more items, even if it has ended, the change returns {@link Costs}. No limit when absent. */
  readonly paid?: number | undefined;
}

/** A page of holds. */
export interface HoldPage {
  /** Those that began last first. May be fewer than the limit, or none, even when another page follows. */
  readonly holds: readonly HoldRecord[];
  /** The next page has only holds that began before; undefined when this is the last page. */
  readonly next: bigint | undefined;
}

/** The most holds that a list reads for one page, so that a page costs Redis at most as much as 25 reads of an item. */
export const mostHoldsRead = 150;

/** The number of items after which a page of holds ends, so that it has at most about 100 kB. */
export const mostItemsListed = 2_500;

/** Sums over all holds. */
export interface HoldTotals {
  readonly active: number;
  /** The units of all active holds. */
  readonly units: number;
  /** How many holds have ended in each way, since the store is in use. */
  readonly confirmed: number;
  readonly released: number;
  readonly expired: number;
}

/**
 * Stores holds. A hold and the stock change in one atomic step. A hold is due from the time on when it expires, by the
 * store's clock, and counts as expired everywhere. Its units return to the stock by {@link HoldStore.sweep}, and at once for
 * a change that would be refused without them. In the history, changes by holds have the reasons HOLD and HOLD_ENDED, and
 * the hold's id as their reference. Those that no request has asked for have the hold's account, but no key and no request.
 */
export interface HoldStore {
  /** Holds units, or replaces contents and end of an active hold. The stock changes by the difference. */
  put(
    accountId: string,
    holdId: string,
    wanted: WantedHold,
    change?: HoldChange,
  ): Promise<PutOutcome>;
  /** Places an order for each item of an active hold. Does nothing if it is confirmed already. */
  confirm(
    accountId: string,
    holdId: string,
    change?: HoldChange,
  ): Promise<OrderLimit | Held | Costs | HoldEnded | { readonly kind: "no_hold" | "no_account" }>;
  /** Ends a hold without orders. `no_hold` if the account has no such hold. Does nothing if it was released or has expired. */
  release(
    accountId: string,
    holdId: string,
    change?: HoldChange,
  ): Promise<Held | Costs | HoldEnded | { readonly kind: "no_hold" }>;
  /** @returns undefined if the account has no such hold */
  get(accountId: string, holdId: string, context?: CallContext): Promise<HoldRecord | undefined>;
  /** The cost of a page does not depend on the number of all holds. */
  list(query: HoldQuery, context?: CallContext): Promise<HoldPage>;
  /** Ends all holds of a deleted account, and deletes them. Returns their number. */
  deleteAll(accountId: string, context?: CallContext): Promise<number>;
  /**
   * Returns the units of some due holds to the stock, and deletes holds that ended long ago, unless another process does
   * now.
   *
   * @param sweeper an id of this process
   * @returns how many quantities it has changed, at least 1, if there are more due holds; 0 otherwise
   */
  sweep(sweeper: string): Promise<number>;
  totals(): Promise<HoldTotals>;
}

/** Whether a hold is active, but its time is over. @param now in milliseconds since the epoch */
export function isDue(
  { state, expiresAt }: Pick<HoldRecord, "state" | "expiresAt">,
  now: number,
): boolean {
  return state === HoldState.ACTIVE && expiresAt <= now;
}

/** Returns a hold as it is at a time, in milliseconds since the epoch. */
export function holdAt<T extends Pick<HoldRecord, "state" | "expiresAt">>(hold: T, now: number): T {
  return isDue(hold, now) ? { ...hold, state: HoldState.EXPIRED } : hold;
}

/** Whether a list has a hold. */
export function isWanted({ state, items }: HoldRecord, { states, petId }: HoldQuery): boolean {
  return (
    states.includes(state) && (petId === undefined || items.some((item) => item.petId === petId))
  );
}
