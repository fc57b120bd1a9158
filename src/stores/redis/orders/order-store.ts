import { ChangeReason } from "../../../../gen/inventory/v1/inventory_pb.ts";
import type { OrderStatus } from "../../../../gen/store/v1/store_pb.ts";
import { present } from "../../../common/present.ts";
import {
  chooseId,
  type IdChoice,
  isOlderThanKept,
  mostOrdersRemoved,
  type OrderLimit,
  type OrderRecord,
  type OrderStore,
} from "../../order-store.ts";
import { unknownOrigin } from "../../stock-change.ts";
import type { Connection } from "../connection/connection.ts";
import { operations } from "../connection/operation.ts";
import type { Send } from "../connection/send.ts";
import {
  deletedAccountKey,
  endedAccountsKey,
  endedOrdersKey,
  lastOrderKey,
  orderIndexKey,
  orderRemovalKey,
  ordersKey,
  removedOrdersKey,
  stockKeys,
} from "../keys.ts";
import { recordFields } from "../record.ts";
import { loadScript, loadWriteScript } from "../scripts.ts";
import {
  loadChangeScript,
  outcomeOf,
  refusalOf,
  type StockSettings,
} from "../stock/change-script.ts";

/** Most orders that one script call reads or deletes. It takes Redis about a millisecond. */
const ordersAtOnce = 250;

/** The number of digits of an id in members. */
const idLength = 19;

export function createRedisOrderStore(
  connection: Connection,
  settings: StockSettings,
  choose: () => IdChoice = chooseId,
): OrderStore {
  const placeOrder = loadChangeScript(connection, settings, "many", "place-order");
  const cancelOrder = loadChangeScript(connection, settings, "many", "cancel-order");
  const advanceOrder = loadWriteScript(connection, "advance-order");
  const removeOrders = loadScript(connection, "remove-orders");

  const { now, orders: limits } = settings;
  const readOrders = loadScript(connection, "read-orders");
  const deleteOrders = loadWriteScript(connection, "delete-orders");

  return {
    async place(accountId, { petId, quantity, reference = "" }, request = {}, context) {
      const { origin = unknownOrigin, idempotency } = request;
      const parts = {
        // The script adds the order's id as the reference.
        origin: { ...origin, accountId, reason: ChangeReason.ORDER },
        idempotency,
        keys: orderKeys(accountId),
      };
      const { micros, step } = choose();
      const values = [String(petId), quantity, micros, step, limits?.mostOpen ?? "", reference];
      const reply = await placeOrder(parts, values, context);
      return outcomeOf(reply, (outcome) => {
        const [kind, order] = outcome.split(/ (.*)/s) as [string, string];
        if (kind === "no_account") return { kind };
        if (kind === "limit") return orderLimitOutcome(settings);
        return kind === "placed" ? { kind, order: orderOf(order, accountId) } : refusalOf(outcome);
      });
    },
    async cancel(accountId, orderId, origin = unknownOrigin, context) {
      const reference = String(orderId);
      const own = { ...origin, reason: ChangeReason.ORDER, reference };
      const parts = { origin: own, keys: endingKeys(accountId) };
      const reply = (await cancelOrder(parts, [reference, accountId], context)) as string;
      const isWord = reply === "no_order" || reply === "delivered" || reply === "too_much_stock";
      return isWord ? reply : orderOf(reply, accountId);
    },
    async advance(accountId, orderId, status, context) {
      const keys = [...stockKeys, ...endingKeys(accountId)];
      const args = [now?.() ?? "", String(orderId), status, accountId];
      const reply = await advanceOrder(keys, args, context);
      if (typeof reply === "number") return { status: reply as OrderStatus };
      return reply === "no_order" ? reply : orderOf(reply as string, accountId);
    },
    async get(accountId, orderId, context) {
      const [from, to] = [`[${padded(orderId)},`, `(${padded(orderId)}-`];
      const key = ordersKey(accountId);
      const read: Send<string[]> = (redis) => redis.zrangebylex(key, from, to, "LIMIT", 0, 1);
      const [order] = await connection.run(key, read, operations.zrangebylex, [context]);
      return order === undefined ? undefined : orderOf(order, accountId);
    },
    async list({ accountId, before, limit }, context) {
      const key = accountId === undefined ? orderIndexKey : ordersKey(accountId);
      const newest = before === undefined ? "+" : `(${padded(before)}`;
      // One more than the limit shows whether another page follows.
      const read: Send<string[]> = (redis) =>
        redis.zrevrangebylex(key, newest, "-", "LIMIT", 0, limit + 1);
      const members = await connection.run(key, read, operations.zrevrangebylex, [context]);
      const page = members.slice(0, limit);
      const last = members.length > limit ? page.at(-1) : undefined;
      const next = last === undefined ? undefined : BigInt(last.slice(0, idLength));
      if (accountId !== undefined) {
        return { orders: page.map((order) => orderOf(order, accountId)), next };
      }
      const entries = page.map((entry) => recordFields(entryForm, entry, orderIndexKey, entry));
      const orders: OrderRecord[] = [];
      for (let at = 0; at < entries.length; at += ordersAtOnce) {
        const some = entries.slice(at, at + ordersAtOnce);
        const keys = some.map(([, own]) => ordersKey(own));
        const ids = some.map(([id]) => id);
        const found = (await readOrders(keys, ids, context)) as readonly (string | null)[];
        some.forEach(([, own], index) => {
          const order = found[index];
          // Orders that were deleted in the meantime are left out.
          if (order) orders.push(orderOf(order, own));
        });
      }
      return { orders, next };
    },
    async count(accountId, context) {
      const key = ordersKey(accountId);
      return connection.run(key, (redis) => redis.zcard(key), operations.zcard, [context]);
    },
    async removeEnded() {
      if (limits?.keptMs === undefined) return false;
      const time = now?.() ?? (await timeOf(connection));
      const until = String(time - limits.keptMs);
      const first: Send<string[]> = (redis) =>
        redis.zrange(endedAccountsKey, "-inf", until, "BYSCORE", "LIMIT", 0, 1);
      const [accountId] = await connection.run(endedAccountsKey, first, operations.zrange);
      if (accountId === undefined) return false;
      const keys = [...removalKeys(accountId), removedOrdersKey, orderRemovalKey];
      await removeOrders(keys, [accountId, until, mostOrdersRemoved]);
      return true;
    },
    mayBeRemoved: (orderId) => isOlderThanKept(orderId, now?.() ?? Date.now(), limits?.keptMs),
    async deleteAll(accountId, context) {
      const keys = [...removalKeys(accountId), deletedAccountKey(accountId)];
      for (let deleted = 0; ; ) {
        const more = await deleteOrders(keys, [now?.() ?? "", accountId, ordersAtOnce], context);
        deleted += more as number;
        if (more === 0) return deleted;
      }
    },
  };
}

/** Returns the keys of every script that places orders, in the order that place_order in orders.lua says. */
export function orderKeys(accountId: string): string[] {
  const own = [deletedAccountKey(accountId), endedOrdersKey(accountId)];
  return [ordersKey(accountId), lastOrderKey, orderIndexKey, ...own];
}

/** Returns the first keys of every script that removes orders. */
function removalKeys(accountId: string): string[] {
  return [ordersKey(accountId), orderIndexKey, endedOrdersKey(accountId), endedAccountsKey];
}

/** Returns the keys of every script that ends orders. */
function endingKeys(accountId: string): string[] {
  return [ordersKey(accountId), endedOrdersKey(accountId), endedAccountsKey];
}

/** Returns the outcome of an account that has the most open orders. */
export function orderLimitOutcome({ orders }: StockSettings): OrderLimit {
  return { kind: "order_limit", most: present(orders, "the limits of orders").mostOpen };
}

/** Returns the time of Redis in milliseconds since the epoch. */
async function timeOf(connection: Connection): Promise<number> {
  const [seconds, micros] = await connection.run(lastOrderKey, (redis) => redis.time());
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

/** Returns an order id with leading zeros. Members of the sorted set begin with it. */
function padded(orderId: bigint): string {
  return String(orderId).padStart(idLength, "0");
}

/** Matches an entry of the index of all orders (see orders.lua). */
const entryForm = /^(\d{19}),([^,]+)$/;
const orderForm = /^(\d{19}),(\d{1,19}),(\d{1,10}),([1-4]),(\d{1,16})(?:,\d{1,16})?(?: (.+))?$/s;

/** Parses an order (see orders.lua). @throws Error if it is damaged */
function orderOf(order: string, accountId: string): OrderRecord {
  const id = order.slice(0, order.indexOf(","));
  const fields = recordFields(orderForm, order, ordersKey(accountId), id);
  const [orderId, petId, quantity, status, placedAt, reference = ""] = fields;
  return {
    orderId: BigInt(orderId),
    accountId,
    petId: BigInt(petId),
    quantity: Number(quantity),
    status: Number(status) as OrderStatus,
    placedAt: Number(placedAt),
    reference,
  };
}
