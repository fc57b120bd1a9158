import type { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import type { CallContext } from "../call/context.ts";
import type { Idempotency, Origin, Outcome, Refusal } from "../inventory/stock-change.ts";

/** One order of an account. */
export interface OrderRecord {
  readonly orderId: bigint;
  readonly petId: bigint;
  readonly quantity: number;
  readonly status: OrderStatus;
  /** Milliseconds since the epoch. */
  readonly placedAt: number;
}

/** A page of an account's orders. */
export interface OrderPage {
  /** Newest first. */
  readonly orders: readonly OrderRecord[];
  /** Whether older orders follow. */
  readonly more: boolean;
}

/** The result of {@link OrderStore.place} if the order was placed. */
export interface Placed {
  readonly kind: "placed";
  readonly order: OrderRecord;
}

/**
 * Stores orders. An order and the stock change in one atomic step. In the history of the stock, such a change has the
 * reason ORDER and the order id as its reference, whatever the origin says.
 */
export interface OrderStore {
  /** Places an order and takes its quantity out of stock. */
  place(
    accountId: string,
    petId: bigint,
    quantity: number,
    request?: {
      readonly origin?: Origin | undefined;
      readonly idempotency?: Idempotency | undefined;
    },
    context?: CallContext,
  ): Promise<Outcome<Placed | Refusal>>;
  /**
   * Cancels an order and puts its quantity back into stock, unless the pet was removed in the meantime. Does nothing
   * if the order is cancelled already.
   */
  cancel(
    accountId: string,
    orderId: bigint,
    origin?: Origin,
    context?: CallContext,
  ): Promise<OrderRecord | "no_order" | "delivered" | "too_much_stock">;
  /**
   * Advances an order: placed, approved, delivered. Does nothing if it has the status already.
   *
   * @returns the order; only its current status if that is later, or cancelled
   */
  advance(
    accountId: string,
    orderId: bigint,
    status: OrderStatus,
    context?: CallContext,
  ): Promise<OrderRecord | "no_order" | { readonly status: OrderStatus }>;
  /** Returns one order; undefined if the account has no such order. */
  get(accountId: string, orderId: bigint, context?: CallContext): Promise<OrderRecord | undefined>;
  /**
   * Returns a page of an account's orders, newest first. The cost depends on the page only, not on the number of
   * orders of the account.
   *
   * @param before returns only orders with smaller ids, which are older; undefined for all orders
   * @param limit largest number of orders to return
   */
  list(
    accountId: string,
    before: bigint | undefined,
    limit: number,
    context?: CallContext,
  ): Promise<OrderPage>;
}
