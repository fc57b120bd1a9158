import { ChangeReason } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { maxQuantity } from "../inventory/inventory-store.ts";
import { type Origin, unknownOrigin } from "../inventory/stock-change.ts";
import type { OrderRecord, OrderStore } from "../store/order-store.ts";
import { answerOnce } from "./answers.ts";
import { type Stock, writeItem } from "./stock.ts";

/** Orders within the process. */
export function createMemoryOrderStore(stock: Stock): OrderStore {
  function ordersOf(accountId: string): Map<bigint, OrderRecord> {
    let orders = stock.orders.get(accountId);
    if (!orders) {
      orders = new Map();
      stock.orders.set(accountId, orders);
    }
    return orders;
  }

  function setStatus(accountId: string, order: OrderRecord, status: OrderStatus): OrderRecord {
    const changed = { ...order, status };
    ordersOf(accountId).set(order.orderId, changed);
    return changed;
  }

  return {
    async place(accountId, petId, quantity, { origin = unknownOrigin, idempotency } = {}) {
      return answerOnce(stock, accountId, idempotency, () => {
        const item = stock.items.get(petId);
        if (!item) return { kind: "no_pet" } as const;
        if (item.quantity < quantity) {
          return { kind: "too_small", quantity: item.quantity } as const;
        }
        stock.lastOrderId += 1n;
        const orderId = stock.lastOrderId;
        const changed = { ...item, quantity: item.quantity - quantity };
        writeItem(stock, changed, ofOrder(origin, accountId, orderId));
        const status = OrderStatus.PLACED;
        const order = { orderId, petId, quantity, status, placedAt: stock.now() };
        ordersOf(accountId).set(orderId, order);
        return { kind: "placed", order } as const;
      });
    },

    async cancel(accountId, orderId, origin = unknownOrigin) {
      const order = ordersOf(accountId).get(orderId);
      if (!order) {
        return "no_order";
      }
      if (order.status === OrderStatus.CANCELLED) {
        return order;
      }
      if (order.status === OrderStatus.DELIVERED) {
        return "delivered";
      }
      const item = stock.items.get(order.petId);
      if (item) {
        const quantity = item.quantity + order.quantity;
        if (quantity > maxQuantity) {
          return "too_much_stock";
        }
        writeItem(stock, { ...item, quantity }, ofOrder(origin, accountId, orderId));
      }
      return setStatus(accountId, order, OrderStatus.CANCELLED);
    },

    async advance(accountId, orderId, status) {
      const order = ordersOf(accountId).get(orderId);
      if (!order) {
        return "no_order";
      }
      if (order.status > status) {
        return { status: order.status };
      }
      return setStatus(accountId, order, status);
    },

    async list(accountId) {
      return [...ordersOf(accountId).values()].reverse();
    },
  };
}

function ofOrder(origin: Origin, accountId: string, orderId: bigint): Origin {
  return { ...origin, accountId, reason: ChangeReason.ORDER, reference: String(orderId) };
}
