import type { ConnectError } from "@connectrpc/connect";
import { exceedLargestQuantity } from "../../contract/catalogue.ts";
import { errorWith } from "../../contract/errors.ts";

export function orderNotFound(orderId: bigint): ConnectError {
  return errorWith("ORDER_NOT_FOUND", `Order ${orderId} does not exist.`, { orderId });
}

/** The stock would exceed the largest quantity if the order's quantity were added to it. */
export function stockTooLarge(orderId: bigint): ConnectError {
  const text = `Order ${orderId} cannot be cancelled: the stock of its pet would ${exceedLargestQuantity}.`;
  return errorWith("STOCK_TOO_LARGE", text, { orderId });
}

/** @param status the order's status, as text */
export function orderStatusConflict(orderId: bigint, status: string): ConnectError {
  const text = `Order ${orderId} is ${status}, which does not allow the change.`;
  return errorWith("ORDER_STATUS", text, { orderId, status });
}
