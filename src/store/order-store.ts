import type { OrderStatus } from "../../gen/store/v1/store_pb.ts";

/** One order of an account. */
export interface OrderRecord {
  readonly orderId: bigint;
  readonly petId: bigint;
  readonly quantity: number;
  readonly status: OrderStatus;
  /** Milliseconds since the epoch. */
  readonly placedAt: number;
}

/** Orders, which take from and give back to the stock in the step that changes them. */
export interface OrderStore {
  place(
    accountId: string,
    petId: bigint,
    quantity: number,
  ): Promise<OrderRecord | "no_pet" | { readonly available: number }>;
  /**
   * Cancels an order and puts its quantity back, unless the pet was removed meanwhile. A cancelled
   * order stays as it is.
   */
  cancel(
    accountId: string,
    orderId: bigint,
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
  /** @returns all orders of the account, newest first */
  list(accountId: string): Promise<OrderRecord[]>;
}
