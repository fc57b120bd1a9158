import { ChangeReason } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { append } from "../common/append.ts";
import {
  type ChangeRecord,
  type HoldEntry,
  type ItemChange,
  type ItemRecord,
  type OrderEntry,
  type OrderParts,
  orderText,
  parseChanges,
  parseEntryId,
  parseHold,
  parseOrder,
} from "./records.ts";

/** The number of items or holds in a page of those that come after the last page. */
const pageSize = 1_000;

/**
 * Collects the changes of the stock that are made while items, orders and holds are read, page by page. With them, pages
 * of different versions become data of one version. Memory grows with the number of pets, orders and holds that change.
 */
export function createChangesInBetween() {
  // Values by pet id. Null means that the pet was removed.
  const itemChanges = new Map<string, string | null>();
  // By account and order id.
  const placedOrders = new Map<string, Map<number, OrderParts>>();
  // The times, by order id alone, because an operator of another account can cancel an order.
  const cancelledOrders = new Map<number, string | undefined>();
  // By account and hold id. Undefined means that the hold was deleted.
  const changedHolds = new Map<string, HoldEntry | undefined>();

  function addOrder({ fields }: ChangeRecord, [change]: readonly ItemChange[]): void {
    if (Number(fields.reason) !== ChangeReason.ORDER || !change) return;
    const { petId, quantityBefore = 0, quantityAfter = 0 } = change;
    const orderId = Number(fields.reference);
    const quantity = quantityBefore - quantityAfter;
    if (quantity < 0) cancelledOrders.set(orderId, fields.time);
    else
      addPlaced(fields.account ?? "", { orderId, petId, quantity, placedAt: Number(fields.time) });
  }

  function addPlaced(
    accountId: string,
    order: Pick<OrderParts, "orderId" | "petId" | "quantity" | "placedAt">,
  ): void {
    const placed = { status: String(OrderStatus.PLACED), endedAt: undefined, reference: "" };
    const own = placedOrders.getOrInsertComputed(accountId, () => new Map());
    own.set(order.orderId, { ...order, ...placed });
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
      const changes = (id && parseChanges(record.fields.changes ?? "", id.version)) ?? [];
      for (const { petId, version, quantityAfter, status } of changes) {
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
          addPlaced(parts.of, { orderId, petId, quantity, placedAt: parts.endedAt });
        }
      }
    },
    /** Returns holds as they are after the last change. One that was only prolonged can have its former end. */
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
     * @param readReferences reads the references of orders of an account, which the history lacks
     */
    async *orders(
      pages: AsyncIterable<readonly OrderEntry[]>,
      readReferences: (accountId: string, orderIds: readonly number[]) => Promise<string[]>,
    ): AsyncGenerator<OrderEntry[]> {
      let of: string | undefined;
      let last = 0;
      const left = new Set(placedOrders.keys());
      /** Returns the orders that were placed after the account's orders were read. */
      async function newOrders(accountId: string, after: number): Promise<OrderEntry[]> {
        left.delete(accountId);
        const own = [...(placedOrders.get(accountId)?.values() ?? [])]
          .filter(({ orderId }) => orderId > after)
          .sort((a, b) => a.orderId - b.orderId);
        const ids = own.map(({ orderId }) => orderId);
        const references = await readReferences(accountId, ids);
        return own.map((placed, at) => {
          const order = orderText({ ...placed, reference: references[at] ?? "" });
          return { order: orderAfter(placed.orderId, order), of: accountId };
        });
      }
      for await (const page of pages) {
        const merged: OrderEntry[] = [];
        for (const record of page) {
          if (of !== undefined && of !== record.of) append(merged, await newOrders(of, last));
          of = record.of;
          last = parseOrder(record.order)?.orderId ?? last;
          merged.push({ ...record, order: orderAfter(last, record.order) });
        }
        yield merged;
      }
      if (of !== undefined) yield await newOrders(of, last);
      for (const accountId of left) yield await newOrders(accountId, 0);
    },
  };
}
