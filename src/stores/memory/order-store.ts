import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../../gen/store/v1/store_pb.ts";
import { firstIndex } from "../first-index.ts";
import { maxQuantity } from "../inventory-store.ts";
import {
  chooseId,
  deletedAccountTtlMs,
  type IdChoice,
  isOlderThanKept,
  isOpen,
  mostOrdersRemoved,
  type OrderLimit,
  type OrderRecord,
  type OrderStore,
  type Placed,
} from "../order-store.ts";
import { type Origin, type Refusal, unknownOrigin } from "../stock-change.ts";
import { endDueHolds, heldUnits } from "./holds.ts";
import { asOneRequest, decideOnce, type Stock, writeItem } from "./stock.ts";

/** Makes the store of orders in memory. */
export function createMemoryOrderStore(
  stock: Stock,
  choose: () => IdChoice = chooseId,
): OrderStore {
  function find(accountId: string, orderId: bigint): OrderRecord | undefined {
    const orders = stock.orders.get(accountId) ?? [];
    const order = orders[countBefore(orders, orderId)];
    return order?.orderId === orderId ? order : undefined;
  }

  function setStatus(accountId: string, order: OrderRecord, status: OrderStatus): OrderRecord {
    const orders = stock.orders.get(accountId) ?? [];
    const changed = { ...order, status };
    orders[countBefore(orders, order.orderId)] = changed;
    if (isOpen(order) && !isOpen(changed)) {
      countOpen(stock, accountId, -1);
      stock.endedOrders.push({ orderId: order.orderId, accountId, endedAt: stock.now() });
    }
    return changed;
  }

  /** Removes old times later than they expire, because a clock that is set back a little makes them valid again. */
  function noteDeletion(accountId: string): void {
    const { deletedAccounts } = stock;
    for (const [id, at] of deletedAccounts) {
      if (stock.now() - at < 2 * deletedAccountTtlMs) break;
      deletedAccounts.delete(id);
    }
    deletedAccounts.delete(accountId);
    deletedAccounts.set(accountId, stock.now());
  }

  return {
    async place(accountId, petId, quantity, { origin = unknownOrigin, idempotency } = {}) {
      const decide = (): Placed | Refusal | OrderLimit | { readonly kind: "no_account" } => {
        if (isDeletedAccount(stock, accountId)) return { kind: "no_account" };
        const limit = orderLimit(stock, accountId, 1);
        if (limit) return limit;
        const item = stock.items.get(petId);
        if (!item) return { kind: "no_pet" };
        if (item.quantity < quantity) {
          if (endDueHolds(stock, petId)) return decide();
          return { kind: "too_small", quantity: item.quantity };
        }
        const [orderId = 0n] = nextOrderIds(stock, choose, 1);
        const changed = { ...item, quantity: item.quantity - quantity };
        writeItem(stock, changed, ofOrder({ ...origin, accountId }, orderId));
        const status = OrderStatus.PLACED;
        const order = { orderId, petId, quantity, status, placedAt: stock.now() };
        addOrder(stock, accountId, order);
        return { kind: "placed", order };
      };
      // A repetition can succeed later.
      const isPassing = ({ kind }: { readonly kind: string }) => kind === "order_limit";
      return asOneRequest(stock, () =>
        decideOnce(stock, accountId, idempotency, decide, isPassing),
      );
    },

    async cancel(accountId, orderId, origin = unknownOrigin) {
      const order = find(accountId, orderId);
      if (!order) return "no_order";
      if (order.status === OrderStatus.CANCELLED) return order;
      if (order.status === OrderStatus.DELIVERED) return "delivered";
      const item = stock.items.get(order.petId);
      if (item) {
        const quantity = item.quantity + order.quantity;
        if (quantity + heldUnits(stock, order.petId) > maxQuantity) return "too_much_stock";
        writeItem(stock, { ...item, quantity }, ofOrder(origin, orderId));
      }
      return setStatus(accountId, order, OrderStatus.CANCELLED);
    },

    async advance(accountId, orderId, status) {
      const order = find(accountId, orderId);
      if (!order) return "no_order";
      if (order.status > status) return { status: order.status };
      return setStatus(accountId, order, status);
    },

    async get(accountId, orderId) {
      return find(accountId, orderId);
    },

    async list(accountId, before, limit) {
      const orders = stock.orders.get(accountId) ?? [];
      const end = before === undefined ? orders.length : countBefore(orders, before);
      const start = Math.max(0, end - limit);
      return { orders: orders.slice(start, end).reverse(), more: start > 0 };
    },

    async listAll(before, limit) {
      const { orderIndex } = stock;
      const end = before === undefined ? orderIndex.length : countBefore(orderIndex, before);
      const start = Math.max(0, end - limit);
      const page = orderIndex.slice(start, end).reverse();
      const orders = page.flatMap(({ accountId, orderId }) => {
        const order = find(accountId, orderId);
        return order ? [{ ...order, accountId }] : [];
      });
      return { orders, next: start > 0 ? page.at(-1)?.orderId : undefined };
    },

    async count(accountId) {
      return stock.orders.get(accountId)?.length ?? 0;
    },

    async removeEnded() {
      const { orderLimits: { keptMs } = {}, endedOrders } = stock;
      if (keptMs === undefined) return false;
      const until = stock.now() - keptMs;
      const due = endedOrders.findIndex(({ endedAt }) => endedAt > until);
      const some = endedOrders.splice(
        0,
        Math.min(due === -1 ? endedOrders.length : due, mostOrdersRemoved),
      );
      for (const { accountId, orderId } of some) {
        const orders = stock.orders.get(accountId) ?? [];
        if (find(accountId, orderId)) orders.splice(countBefore(orders, orderId), 1);
      }
      const ids = new Set(some.map(({ orderId }) => orderId));
      if (ids.size > 0) {
        stock.orderIndex = stock.orderIndex.filter(({ orderId }) => !ids.has(orderId));
      }
      return ids.size === mostOrdersRemoved;
    },

    mayBeRemoved: (orderId) => isOlderThanKept(orderId, stock.now(), stock.orderLimits?.keptMs),

    async deleteAll(accountId) {
      noteDeletion(accountId);
      const orders = stock.orders.get(accountId) ?? [];
      stock.orders.delete(accountId);
      stock.openOrders.delete(accountId);
      if (orders.length > 0) {
        stock.orderIndex = stock.orderIndex.filter((each) => each.accountId !== accountId);
      }
      return orders.length;
    },
  };
}

/** Whether an account was deleted a short time ago. */
export function isDeletedAccount({ deletedAccounts, now }: Stock, accountId: string): boolean {
  const at = deletedAccounts.get(accountId);
  return at !== undefined && now() - at < deletedAccountTtlMs;
}

/** Returns the ids of the next orders. */
export function nextOrderIds(stock: Stock, choose: () => IdChoice, count: number): bigint[] {
  const { micros, step } = choose();
  const ofTime = BigInt(Math.floor(stock.now() * 1_000) + micros);
  const ofLast = stock.lastOrderId + BigInt(step);
  const first = ofTime > ofLast ? ofTime : ofLast;
  const ids = Array.from({ length: count }, (_, at) => first + BigInt(at * step));
  stock.lastOrderId = ids.at(-1) ?? stock.lastOrderId;
  return ids;
}

/** Returns the outcome of an account that would have too many open orders with `more`; undefined if it would not. */
export function orderLimit(
  { orderLimits, openOrders }: Stock,
  accountId: string,
  more: number,
): OrderLimit | undefined {
  const most = orderLimits?.mostOpen ?? Number.POSITIVE_INFINITY;
  const isOver = (openOrders.get(accountId) ?? 0) + more > most;
  return isOver ? { kind: "order_limit", most } : undefined;
}

function countOpen({ openOrders }: Stock, accountId: string, delta: number): void {
  openOrders.set(accountId, (openOrders.get(accountId) ?? 0) + delta);
}

/** Adds an open order, which has the largest id of all. */
export function addOrder(stock: Stock, accountId: string, order: OrderRecord): void {
  countOpen(stock, accountId, 1);
  stock.orders.getOrInsertComputed(accountId, () => []).push(order);
  stock.orderIndex.push({ orderId: order.orderId, accountId });
}

/** Returns the number of orders with smaller ids. */
function countBefore(orders: readonly Pick<OrderRecord, "orderId">[], orderId: bigint): number {
  return firstIndex(orders.length, (at) => (orders[at] as { orderId: bigint }).orderId >= orderId);
}

function ofOrder(origin: Origin, orderId: bigint): Origin {
  return { ...origin, reason: ChangeReason.ORDER, reference: String(orderId) };
}
