import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../../gen/store/v1/store_pb.ts";
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
import { decideOnce, type Stock, type StoredOrder, writeItem } from "./stock.ts";

export function createMemoryOrderStore(
  stock: Stock,
  choose: () => IdChoice = chooseId,
): OrderStore {
  const { orders } = stock;

  function find(accountId: string, orderId: bigint): StoredOrder | undefined {
    return orders.find((order) => order.orderId === orderId && order.accountId === accountId);
  }

  function setStatus(order: StoredOrder, status: OrderStatus): OrderRecord {
    const endedAt = isOpen({ status }) ? undefined : (order.endedAt ?? stock.now());
    const changed = { ...order, status, endedAt };
    countOpen(stock, order, -1);
    countOpen(stock, changed, 1);
    orders[orders.indexOf(order)] = changed;
    return recordOf(changed);
  }

  /** Removes orders. @returns how many */
  function remove(some: readonly StoredOrder[]): number {
    for (const order of some) {
      countOpen(stock, order, -1);
      orders.splice(orders.indexOf(order), 1);
    }
    return some.length;
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
    async place(
      accountId,
      { petId, quantity, reference = "" },
      { origin = unknownOrigin, idempotency } = {},
    ) {
      const decide = (): Placed | Refusal | OrderLimit | { readonly kind: "no_account" } => {
        if (isDeletedAccount(stock, accountId)) return { kind: "no_account" };
        const limit = exceededOrderLimit(stock, accountId, 1);
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
        const order = addOrder(stock, { accountId, orderId, petId, quantity, reference });
        return { kind: "placed", order: recordOf(order) };
      };
      // A repetition can succeed later.
      const isPassing = ({ kind }: { readonly kind: string }) => kind === "order_limit";
      return decideOnce(stock, { accountId, idempotency }, decide, isPassing);
    },
    async cancel(accountId, orderId, origin = unknownOrigin) {
      const order = find(accountId, orderId);
      if (!order) return "no_order";
      if (order.status === OrderStatus.CANCELLED) return recordOf(order);
      if (order.status === OrderStatus.DELIVERED) return "delivered";
      const item = stock.items.get(order.petId);
      if (item) {
        const quantity = item.quantity + order.quantity;
        if (quantity + heldUnits(stock, order.petId) > maxQuantity) return "too_much_stock";
        writeItem(stock, { ...item, quantity }, ofOrder(origin, orderId));
      }
      return setStatus(order, OrderStatus.CANCELLED);
    },
    async advance(accountId, orderId, status) {
      const order = find(accountId, orderId);
      if (!order) return "no_order";
      if (order.status > status) return { status: order.status };
      return setStatus(order, status);
    },
    async get(accountId, orderId) {
      const order = find(accountId, orderId);
      return order && recordOf(order);
    },
    async list({ accountId, before, limit }) {
      const all = accountId === undefined ? orders : ordersOf(stock, accountId);
      const older = all.filter(({ orderId }) => before === undefined || orderId < before);
      const page = older.slice(-limit).reverse().map(recordOf);
      return { orders: page, next: older.length > limit ? page.at(-1)?.orderId : undefined };
    },
    async count(accountId) {
      return ordersOf(stock, accountId).length;
    },
    async removeEnded() {
      const keptMs = stock.orderLimits?.keptMs ?? Number.POSITIVE_INFINITY;
      const ends = ({ endedAt = Number.POSITIVE_INFINITY }: StoredOrder) => endedAt;
      const due = orders
        .filter((order) => ends(order) <= stock.now() - keptMs)
        .sort((a, b) => ends(a) - ends(b));
      return remove(due.slice(0, mostOrdersRemoved)) === mostOrdersRemoved;
    },
    mayBeRemoved: (orderId) => isOlderThanKept(orderId, stock.now(), stock.orderLimits?.keptMs),
    async deleteAll(accountId) {
      noteDeletion(accountId);
      return remove(ordersOf(stock, accountId));
    },
  };
}

function recordOf({ endedAt: _, ...order }: StoredOrder): OrderRecord {
  return order;
}

function ordersOf({ orders }: Stock, accountId: string): StoredOrder[] {
  return orders.filter((order) => order.accountId === accountId);
}

/** Whether an account was deleted a short time ago. */
export function isDeletedAccount({ deletedAccounts, now }: Stock, accountId: string): boolean {
  const at = deletedAccounts.get(accountId);
  return at !== undefined && now() - at < deletedAccountTtlMs;
}

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
export function exceededOrderLimit(
  stock: Stock,
  accountId: string,
  more: number,
): OrderLimit | undefined {
  const most = stock.orderLimits?.mostOpen ?? Number.POSITIVE_INFINITY;
  const isOver = (stock.openOrders.get(accountId) ?? 0) + more > most;
  return isOver ? { kind: "order_limit", most } : undefined;
}

/** Adds an open order, which has the largest id of all. */
export function addOrder(
  stock: Stock,
  order: Omit<StoredOrder, "status" | "placedAt" | "endedAt">,
): StoredOrder {
  const placedAt = stock.now();
  const added = { ...order, status: OrderStatus.PLACED, placedAt, endedAt: undefined };
  stock.orders.push(added);
  countOpen(stock, added, 1);
  return added;
}

/** Adds an order to the number of open orders of its account, or subtracts it, if it is open. */
function countOpen({ openOrders }: Stock, { accountId, status }: StoredOrder, by: 1 | -1): void {
  if (!isOpen({ status })) return;
  const count = (openOrders.get(accountId) ?? 0) + by;
  if (count > 0) openOrders.set(accountId, count);
  else openOrders.delete(accountId);
}

function ofOrder(origin: Origin, orderId: bigint): Origin {
  return { ...origin, reason: ChangeReason.ORDER, reference: String(orderId) };
}
