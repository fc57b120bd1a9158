import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { maxQuantity } from "../inventory/inventory-store.ts";
import type { OrderRecord, OrderStore } from "../store/order-store.ts";
import { changeItem, type Stock } from "./stock.ts";

/**
 * Orders within the process.
 *
 * @param now the clock, in milliseconds since the epoch
 */
export function createMemoryOrderStore(stock: Stock, now: () => number): OrderStore {
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
    async place(accountId, petId, quantity) {
      const item = stock.items.get(petId);
      if (!item) {
        return "no_pet";
      }
      if (item.quantity < quantity) {
        return { available: item.quantity };
      }
      changeItem(stock, petId, { quantity: item.quantity - quantity });
      stock.lastOrderId += 1n;
      const orderId = stock.lastOrderId;
      const order = { orderId, petId, quantity, status: OrderStatus.PLACED, placedAt: now() };
      ordersOf(accountId).set(orderId, order);
      return order;
    },

    async cancel(accountId, orderId) {
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
        changeItem(stock, order.petId, { quantity });
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
