import { ChangeReason } from "../../gen/inventory/v1/inventory_pb.ts";
import type { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { unknownOrigin } from "../inventory/stock-change.ts";
import type { OrderRecord, OrderStore } from "../store/order-store.ts";
import {
  loadChangeScript,
  outcomeOf,
  refusalOf,
  type StockSettings,
  stockKeys,
} from "./change-script.ts";
import type { Connection } from "./connection.ts";
import { lastOrderKey, ordersKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";

/** Orders in Redis. */
export function createRedisOrderStore(connection: Connection, settings: StockSettings): OrderStore {
  const { redis, guard } = connection;
  const placeOrder = loadChangeScript(connection, settings, 2, "order", "place-order");
  const cancelOrder = loadChangeScript(connection, settings, 1, "order", "cancel-order");
  const advanceOrder = loadScript(connection, "stock", "order", "advance-order");

  return {
    async place(accountId, petId, quantity, { origin = unknownOrigin, idempotency } = {}) {
      const parts = {
        // The script adds the order's id as the reference.
        origin: { ...origin, accountId, reason: ChangeReason.ORDER },
        idempotency,
        keys: [ordersKey(accountId), lastOrderKey],
      };
      return outcomeOf(await placeOrder(parts, [String(petId), quantity]), (answer) => {
        const [kind, orderId = "", order = ""] = answer.split(" ");
        return kind === "placed" ? { kind, order: orderOf([orderId, order]) } : refusalOf(answer);
      });
    },

    async cancel(accountId, orderId, origin = unknownOrigin) {
      const reference = String(orderId);
      const parts = {
        origin: { ...origin, accountId, reason: ChangeReason.ORDER, reference },
        keys: [ordersKey(accountId)],
      };
      const reply = await cancelOrder(parts, [reference]);
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
