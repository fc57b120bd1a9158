import { randomInt } from "node:crypto";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import type { CallContext } from "../common/call-context.ts";
import { hourMs } from "../common/durations.ts";
import type { ChangeRequest, Origin, Outcome, Refusal } from "./stock-change.ts";

/** One order of an account. */
export interface OrderRecord {
  readonly orderId: bigint;
  readonly accountId: string;
  readonly petId: bigint;
  readonly quantity: number;
  readonly status: OrderStatus;
  /** Milliseconds since the epoch. */
  readonly placedAt: number;
  /** The caller's own, or the id of the hold that placed the order; empty if there is none. */
  readonly reference: string;
}

export function isOpen({ status }: Pick<OrderRecord, "status">): boolean {
  return status === OrderStatus.PLACED || status === OrderStatus.APPROVED;
}

/** Whether an order may have ended so long ago that it was removed: its id follows the time when it was placed. */
export function isOlderThanKept(orderId: bigint, now: number, keptMs: number | undefined): boolean {
  return keptMs !== undefined && orderId <= BigInt(Math.floor((now - keptMs) * 1_000));
}

/** Which orders a list has. */
export interface OrderQuery {
  /** Those of all accounts if undefined. */
  readonly accountId?: string | undefined;
  /** Only those with smaller ids, which are older. All if undefined. */
  readonly before?: bigint | undefined;
  /** The most orders to return. */
  readonly limit: number;
}

export interface OrderPage {
  /** Newest first. May be fewer than the limit, or empty, even when another page follows. */
  readonly orders: readonly OrderRecord[];
  /** The next page has only orders with smaller ids; undefined when this is the last page. */
  readonly next: bigint | undefined;
}

/** Limits of the orders of an account. */
export interface OrderLimits {
  /** The most open orders: those that are neither delivered nor cancelled. */
  readonly mostOpen: number;
  /** How long ended orders can be read, in milliseconds; undefined for ever. */
  readonly keptMs: number | undefined;
}

/** The account has the most open orders that it may have. Nothing was changed. */
export interface OrderLimit {
  readonly kind: "order_limit";
  /** The most open orders. */
  readonly most: number;
}

/** The most orders that are removed at once. It takes Redis about a millisecond. */
export const mostOrdersRemoved = 100;

/** The shortest time between two removals of orders by any process, in milliseconds. */
export const orderRemovalPauseMs = 50;

/** How long a deleted account cannot place orders, in milliseconds: far longer than a request takes. */
export const deletedAccountTtlMs = hourMs;

/** The result of {@link OrderStore.place} if the order was placed. */
export interface Placed {
  readonly kind: "placed";
  readonly order: OrderRecord;
}

/**
 * Stores orders. An order and the stock change in one atomic step, with the reason ORDER and the order id as the reference
 * in the history, whatever the origin says.
 */
export interface OrderStore {
  /** Takes units of a pet out of stock for an order; `no_account` within an hour after {@link OrderStore.deleteAll}. */
  place(
    accountId: string,
    order: Pick<OrderRecord, "petId" | "quantity"> & { readonly reference?: string },
    request?: ChangeRequest,
    context?: CallContext,
  ): Promise<Outcome<Placed | Refusal | OrderLimit | { readonly kind: "no_account" }>>;
  /** Cancels an order, unless it is cancelled, and puts its quantity back into stock, unless the pet was removed. */
  cancel(
    accountId: string,
    orderId: bigint,
    origin?: Origin,
    context?: CallContext,
  ): Promise<OrderRecord | "no_order" | "delivered" | "too_much_stock">;
  /** Advances an order: placed, approved, delivered. Returns it, also without a change; only its status if that is later. */
  advance(
    accountId: string,
    orderId: bigint,
    status: OrderStatus,
    context?: CallContext,
  ): Promise<OrderRecord | "no_order" | { readonly status: OrderStatus }>;
  /** Returns one order; undefined if the account has no such order. */
  get(accountId: string, orderId: bigint, context?: CallContext): Promise<OrderRecord | undefined>;
  /** Returns a page of orders, newest first. The cost does not depend on the number of all orders. */
  list(query: OrderQuery, context?: CallContext): Promise<OrderPage>;
  count(accountId: string, context?: CallContext): Promise<number>;
  /** Removes some of the oldest orders that ended longer ago than they are kept. Returns whether there may be more. */
  removeEnded(): Promise<boolean>;
  /** Whether an order with this id can have been removed because of its age. */
  mayBeRemoved(orderId: bigint): boolean;
  /** Deletes the orders of an account, which can place no others for an hour, and returns their number. Changes no stock. */
  deleteAll(accountId: string, context?: CallContext): Promise<number>;
}

/** The random numbers that decide on the id of an order. */
export interface IdChoice {
  /** Added to the time of the order: 0 to 999 microseconds, so that the low digits say nothing. */
  readonly micros: number;
  /** The distance to the last id if the time is not above it: 1 to 10, so that ids move little ahead of the time. */
  readonly step: number;
}

/**
 * Chooses the random numbers of an order id: the store's time in microseconds plus `micros`, or the last id plus `step` if
 * that is greater. So ids ascend, stay exact in a double until the year 2255, and do not count the orders of others.
 */
export function chooseId(): IdChoice {
  const choice = randomInt(10_000);
  return { micros: choice % 1_000, step: 1 + Math.floor(choice / 1_000) };
}
