import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Order, OrderSchema } from "../../../gen/store/v1/store_pb.ts";
import type { OrderRecord, OrderStore } from "../../stores/order-store.ts";
import { orderNotFound, orderStatusConflict, stockTooLarge } from "./errors.ts";

export function orderMessage({ placedAt, ...order }: OrderRecord): Order {
  return create(OrderSchema, { ...order, placedAt: timestampFromMs(placedAt) });
}

/** Returns the order of a cancellation. @throws ConnectError when it was not cancelled */
export function requireCancelled(
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
