import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Order, OrderSchema, type StoreService } from "../../gen/store/v1/store_pb.ts";
import type { Caller } from "../access/caller.ts";
import type { ServiceFunctions } from "../call/service.ts";
import {
  orderNotFound,
  orderStatusInTheWay,
  petNotFound,
  stockTooLarge,
  stockTooSmall,
} from "../errors.ts";
import type { OrderRecord, OrderStore } from "./order-store.ts";

/** The calling account's orders: store.v1.StoreService. */
export function createStoreService(
  store: OrderStore,
): ServiceFunctions<typeof StoreService, Caller> {
  return {
    async placeOrder({ petId, quantity }, { caller }) {
      const placed = await store.place(caller.accountId, petId, quantity);
      if (placed.kind === "too_small") {
        throw stockTooSmall(petId, quantity, placed.quantity);
      }
      if (placed.kind !== "placed") {
        throw petNotFound(petId);
      }
      return { order: orderMessage(placed.order) };
    },

    async cancelOrder({ orderId }, { caller }) {
      const cancelled = await store.cancel(caller.accountId, orderId);
      switch (cancelled) {
        case "no_order":
          throw orderNotFound(orderId);
        case "delivered":
          throw orderStatusInTheWay(orderId, "delivered");
        case "too_much_stock":
          throw stockTooLarge(orderId);
        default:
          return { order: orderMessage(cancelled) };
      }
    },

    async listOrders(_, { caller }) {
      const orders = await store.list(caller.accountId);
      return { orders: orders.map(orderMessage) };
    },
  };
}

/** A stored order as a message. */
export function orderMessage({ placedAt, ...order }: OrderRecord): Order {
  return create(OrderSchema, { ...order, placedAt: timestampFromMs(placedAt) });
}
