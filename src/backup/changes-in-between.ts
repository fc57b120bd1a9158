import { ChangeReason } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { append } from "../common/append.ts";
import {
  type ChangeRecord,
  type HoldEntry,
  type ItemRecord,
  type OrderEntry,
  orderText,
  parseChanges,
  parseEntryId,
  parseHold,
  parseOrder,
} from "./records.ts";

/** The new orders of an account, by order id. */
type PlacedOrders = Map<number, string>;

/** The number of items or holds in a page of those that come after the last page. */
const pageSize = 1_000;

/**
 * Collects the changes of the stock that are made while items, orders and holds are read, page by page. With them, pages
 * of different versions become data of one version. Memory grows with the number of pets, orders and holds that change.
 */
export function createChangesInBetween() {
  // Values by pet id. Null means that the pet was removed.
  const itemChanges = new Map<string, string | null>();
  const placedOrders = new Map<string, PlacedOrders>();
  // The times, by order id alone, because an operator of another account can cancel an order.
  const cancelledOrders = new Map<number, string | undefined>();
  // By account and hold id. Undefined means that the hold was deleted.
  const changedHolds = new Map<string, HoldEntry | undefined>();

  function addOrder({ fields }: ChangeRecord, changes: ReturnType<typeof parseChanges>): void {
    const [change] = changes ?? [];
    if (Number(fields.reason) !== ChangeReason.ORDER || !change) return;
    const { petId, quantityBefore = 0, quantityAfter = 0 } = change;
    const orderId = Number(fields.reference);
    if (quantityAfter > quantityBefore) {
      cancelledOrders.set(orderId, fields.time);
      return;
    }
    const placed = orderText({
      orderId,
      petId,
      quantity: quantityBefore - quantityAfter,
      status: String(OrderStatus.PLACED),
      placedAt: Number(fields.time),
      endedAt: undefined,
    });
    addPlaced(fields.account ?? "", orderId, placed);
  }

  function addPlaced(accountId: string, orderId: number, order: string): void {
    placedOrders.getOrInsertComputed(accountId, () => new Map()).set(orderId, order);
  }

  function orderAfter(orderId: number, order: string): string {
    const endedAt = cancelledOrders.get(orderId);
    const parts = endedAt === undefined ? undefined : parseOrder(order);
    if (!parts || parts.endedAt !== undefined) return order;
    return orderText({ ...parts, status: String(OrderStatus.CANCELLED), endedAt });
  }

  return {
    add(record: ChangeRecord): void {
      const id = parseEntryId(record.change);
      const changes = id && parseChanges(record.fields.changes ?? "", id.version);
      for (const { petId, version, quantityAfter, status } of changes ?? []) {
        const value = quantityAfter === undefined ? null : `${quantityAfter},${status},${version}`;
        itemChanges.set(petId, value);
      }
      addOrder(record, changes);
    },
    /** Adds holds as they are when the last entry of the history is read. */
    addHolds(holds: readonly HoldEntry[]): void {
      for (const entry of holds) {
        const parts = parseHold(entry);
        changedHolds.set(entry.hold, parts && entry);
        for (const { petId, quantity, orderId } of parts?.items ?? []) {
          // The history has no change for the orders of a confirmed hold.
          if (!parts || orderId === undefined) continue;
          const placed = {
            status: String(OrderStatus.PLACED),
            placedAt: parts.endedAt,
            endedAt: undefined,
          };
          addPlaced(parts.of, orderId, orderText({ orderId, petId, quantity, ...placed }));
        }
      }
    },
    /**
     * Returns holds as they are after the last change. A hold that was only prolonged has its former end if it was read
     * before.
     */
    async *holds(pages: AsyncIterable<readonly HoldEntry[]>): AsyncGenerator<HoldEntry[]> {
      for await (const page of pages) yield page.filter(({ hold }) => !changedHolds.has(hold));
      const changed = [...changedHolds.values()].filter((entry) => entry !== undefined);
      for (let at = 0; at < changed.length; at += pageSize) yield changed.slice(at, at + pageSize);
    },
    /** Returns items as they are after the last change. */
    async *items(pages: AsyncIterable<readonly ItemRecord[]>): AsyncGenerator<ItemRecord[]> {
      for await (const page of pages) yield page.filter(({ item }) => !itemChanges.has(item));
      const changed = [...itemChanges].flatMap(([item, value]) =>
        value === null ? [] : [{ item, value }],
      );
      for (let at = 0; at < changed.length; at += pageSize) yield changed.slice(at, at + pageSize);
    },
    /**
     * Returns orders as they are after the last change. Approving or delivering an order changes no stock, so it is not
     * in the history. An order has such a change only if it was made before the order was read.
     *
     * @param pages pages in which the orders of an account follow each other, in ascending order
     */
    async *orders(pages: AsyncIterable<readonly OrderEntry[]>): AsyncGenerator<OrderEntry[]> {
      let of: string | undefined;
      let last = 0;
      const left = new Set(placedOrders.keys());
      /** The orders that were placed after the account's orders were read. */
      function* newOrders(accountId: string, after: number): Generator<OrderEntry> {
        left.delete(accountId);
        const own = [...(placedOrders.get(accountId) ?? [])].sort(([a], [b]) => a - b);
        for (const [orderId, placed] of own) {
          if (orderId <= after) continue;
          yield { order: orderAfter(orderId, placed), of: accountId };
        }
      }
      for await (const page of pages) {
        const merged: OrderEntry[] = [];
        for (const record of page) {
          if (of !== undefined && of !== record.of) append(merged, newOrders(of, last));
          of = record.of;
          last = parseOrder(record.order)?.orderId ?? last;
          merged.push({ ...record, order: orderAfter(last, record.order) });
        }
        yield merged;
      }
      if (of !== undefined) yield [...newOrders(of, last)];
      for (const accountId of left) yield [...newOrders(accountId, 0)];
    },
  };
}
