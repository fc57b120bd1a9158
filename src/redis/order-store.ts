import type { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import type { OrderRecord, OrderStore } from "../store/order-store.ts";
import type { Connection } from "./connection.ts";
import { stockKeys } from "./inventory-store.ts";
import { lastOrderKey, ordersKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";

/**
 * Orders in Redis.
 *
 * @param now the clock in milliseconds since the epoch; the server's own when absent
 */
export function createRedisOrderStore(
  connection: Connection,
  now: (() => number) | undefined,
): OrderStore {
  const { redis, guard } = connection;
  const placeOrder = loadScript(connection, "clock", "stock", "order", "place-order");
  const cancelOrder = loadScript(connection, "stock", "order", "cancel-order");
  const advanceOrder = loadScript(connection, "stock", "order", "advance-order");

  return {
    async place(accountId, petId, quantity) {
      const reply = await placeOrder(
        [...stockKeys, ordersKey(accountId), lastOrderKey],
        [now?.() ?? "", String(petId), quantity],
      );
      if (typeof reply === "number") {
        return { available: reply };
      }
      return reply === "no_pet" ? reply : orderOf(reply);
    },

    async cancel(accountId, orderId) {
      const reply = await cancelOrder([...stockKeys, ordersKey(accountId)], [String(orderId)]);
      switch (reply) {
        case "no_order":
        case "delivered":
        case "too_much_stock":
          return reply;
        default:
          return orderOf(reply);
      }
    },

    async advance(accountId, orderId, status) {
      const reply = await advanceOrder(
        [...stockKeys, ordersKey(accountId)],
        [String(orderId), status],
      );
      if (typeof reply === "number") {
        return { status: reply as OrderStatus };
      }
      return reply === "no_order" ? reply : orderOf(reply);
    },

    async list(accountId) {
      const orders = await guard(redis.hgetall(ordersKey(accountId)));
      return Object.entries(orders)
        .map(orderOf)
        .sort((a, b) => (a.orderId > b.orderId ? -1 : 1));
    },
  };
}

/** Reads an order id and `<pet id>,<quantity>,<status>,<placed at>`. */
function orderOf(reply: unknown): OrderRecord {
  const [orderId, order] = reply as readonly [string, string];
  const [petId = "", quantity, status, placedAt] = order.split(",");
  return {
    orderId: BigInt(orderId),
    petId: BigInt(petId),
    quantity: Number(quantity),
    status: Number(status) as OrderStatus,
    placedAt: Number(placedAt),
  };
}
