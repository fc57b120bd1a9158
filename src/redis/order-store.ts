import { ChangeReason } from "../../gen/inventory/v1/inventory_pb.ts";
import type { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { unknownOrigin } from "../inventory/stock-change.ts";
import type { OrderRecord, OrderStore } from "../orders/order-store.ts";
import {
  loadChangeScript,
  outcomeOf,
  refusalOf,
  type StockSettings,
  stockKeys,
} from "./change-script.ts";
import type { Connection } from "./connection/connection.ts";
import type { Send } from "./connection/send.ts";
import { lastOrderKey, ordersKey } from "./keys.ts";
import { loadWriteScript } from "./scripts.ts";

const operations = {
  zrangebylex: { command: "ZRANGEBYLEX" },
  zrevrangebylex: { command: "ZREVRANGEBYLEX" },
};

/** Orders in Redis. */
export function createRedisOrderStore(connection: Connection, settings: StockSettings): OrderStore {
  const placeOrder = loadChangeScript(connection, settings, "many", "order", "place-order");
  const cancelOrder = loadChangeScript(connection, settings, "many", "order", "cancel-order");
  const advanceOrder = loadWriteScript(connection, "stock", "order", "advance-order");

  return {
    async place(accountId, petId, quantity, { origin = unknownOrigin, idempotency } = {}, context) {
      const parts = {
        // The script adds the order's id as the reference.
        origin: { ...origin, accountId, reason: ChangeReason.ORDER },
        idempotency,
        keys: [ordersKey(accountId), lastOrderKey],
      };
      const reply = await placeOrder(parts, [String(petId), quantity], context);
      return outcomeOf(reply, (outcome) => {
        const [kind, order = ""] = outcome.split(" ");
        return kind === "placed" ? { kind, order: orderOf(order) } : refusalOf(outcome);
      });
    },

    async cancel(accountId, orderId, origin = unknownOrigin, context) {
      const reference = String(orderId);
      const parts = {
        origin: { ...origin, accountId, reason: ChangeReason.ORDER, reference },
        keys: [ordersKey(accountId)],
      };
      const reply = await cancelOrder(parts, [reference], context);
      switch (reply) {
        case "no_order":
        case "delivered":
        case "too_much_stock":
          return reply;
        default:
          return orderOf(reply as string);
      }
    },

    async advance(accountId, orderId, status, context) {
      const reply = await advanceOrder(
        [...stockKeys, ordersKey(accountId)],
        [String(orderId), status],
        context,
      );
      if (typeof reply === "number") {
        return { status: reply as OrderStatus };
      }
      return reply === "no_order" ? reply : orderOf(reply as string);
    },

    async get(accountId, orderId, context) {
      const [from, to] = [`[${padded(orderId)},`, `(${padded(orderId)}-`];
      const key = ordersKey(accountId);
      const read: Send<string[]> = (redis) => redis.zrangebylex(key, from, to, "LIMIT", 0, 1);
      const [order] = await connection.run(key, read, operations.zrangebylex, [context]);
      return order === undefined ? undefined : orderOf(order);
    },

    async list(accountId, before, limit, context) {
      const newest = before === undefined ? "+" : `(${padded(before)}`;
      // One more than the limit shows whether another page follows.
      const key = ordersKey(accountId);
      const read: Send<string[]> = (redis) =>
        redis.zrevrangebylex(key, newest, "-", "LIMIT", 0, limit + 1);
      const orders = await connection.run(key, read, operations.zrevrangebylex, [context]);
      return { orders: orders.slice(0, limit).map(orderOf), more: orders.length > limit };
    },
  };
}

/** Returns an order id with leading zeros. Members of the sorted set begin with it. */
function padded(orderId: bigint): string {
  return String(orderId).padStart(19, "0");
}

/** Parses `<order id>,<pet id>,<quantity>,<status>,<placed at>`. */
function orderOf(order: string): OrderRecord {
  const [orderId = "", petId = "", quantity, status, placedAt] = order.split(",");
  return {
    orderId: BigInt(orderId),
    petId: BigInt(petId),
    quantity: Number(quantity),
    status: Number(status) as OrderStatus,
    placedAt: Number(placedAt),
  };
}
