import type { OrderStatus } from "../../gen/store/v1/store_pb.ts";
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

/** An order was placed. */
export interface Placed {
  readonly kind: "placed";
  readonly order: OrderRecord;
}

/**
 * Orders, which take from and give back to the stock in the step that changes them. In the history of
 * the stock the reason is ORDER and the reference the order's id, whatever the origin says.
 */
export interface OrderStore {
  place(
    accountId: string,
    petId: bigint,
    quantity: number,
    request?: {
      readonly origin?: Origin | undefined;
      readonly idempotency?: Idempotency | undefined;
    },
  ): Promise<Outcome<Placed | Refusal>>;
  /**
   * Cancels an order and puts its quantity back, unless the pet was removed meanwhile. A cancelled
   * order stays as it is.
   */
  cancel(
    accountId: string,
    orderId: bigint,
    origin?: Origin,
  ): Promise<OrderRecord | "no_order" | "delivered" | "too_much_stock">;
  /**
   * Moves an order forward: placed, approved, delivered. To where it is already is no change.
   *
   * @returns the order's own status when it can't be moved to the one asked for
   */
  advance(
    accountId: string,
    orderId: bigint,
    status: OrderStatus,
  ): Promise<OrderRecord | "no_order" | { readonly status: OrderStatus }>;
  /** @returns undefined when the account has no such order */
  get(accountId: string, orderId: bigint): Promise<OrderRecord | undefined>;
  /**
   * Returns a page of the account's orders, newest first. The cost is that of the page, however many
   * orders the account has.
   *
   * @param before only orders with smaller ids, which are older; all orders when undefined
   * @param limit the largest number of orders to return
   */
  list(accountId: string, before: bigint | undefined, limit: number): Promise<OrderPage>;
}
