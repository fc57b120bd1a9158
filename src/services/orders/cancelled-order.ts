import type { Order } from "../../../gen/store/v1/store_pb.ts";
import type { OrderStore } from "../../stores/order-store.ts";
import { orderNotFound, orderStatusConflict, stockTooLarge } from "./errors.ts";
import { orderMessage } from "./order-message.ts";

/** Returns the order of a cancellation. @throws ConnectError when it was not cancelled */
export function cancelledOrder(
  orderId: bigint,
  outcome: Awaited<ReturnType<OrderStore["cancel"]>>,
): Order {
  switch (outcome) {
    case "no_order":
      throw orderNotFound(orderId);
    case "delivered":
      throw orderStatusConflict(orderId, "delivered");
    case "too_much_stock":
      throw stockTooLarge(orderId);
    default:
      return orderMessage(outcome);
  }
}
