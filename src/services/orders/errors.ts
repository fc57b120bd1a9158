import type { ConnectError } from "@connectrpc/connect";
import { exceedLargestQuantity } from "../../contract/catalogue.ts";
import { serviceError } from "../../contract/errors.ts";

export function orderNotFound(orderId: bigint): ConnectError {
  return serviceError("ORDER_NOT_FOUND", `Order ${orderId} does not exist.`, {
    metadata: { orderId: String(orderId) },
  });
}

/** The stock would exceed the largest quantity if the order's quantity were added to it. */
export function stockTooLarge(orderId: bigint): ConnectError {
  return serviceError(
    "STOCK_TOO_LARGE",
    `Order ${orderId} cannot be cancelled: the stock of its pet would ${exceedLargestQuantity}.`,
    { metadata: { orderId: String(orderId) } },
  );
}

/** @param status the order's status, as text */
export function orderStatusConflict(orderId: bigint, status: string): ConnectError {
  return serviceError(
    "ORDER_STATUS",
    `Order ${orderId} is ${status}, which does not allow the change.`,
    {
      metadata: { orderId: String(orderId), status },
    },
  );
}
