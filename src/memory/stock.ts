import type { Item } from "../inventory/inventory-store.ts";
import type { OrderRecord } from "../store/order-store.ts";

/** Stock and orders: what the inventory store and the order store share. */
export interface Stock {
  readonly items: Map<bigint, Item>;
  /** Orders by account, oldest first. */
  readonly orders: Map<string, Map<bigint, OrderRecord>>;
  lastOrderId: bigint;
}

/** No stock, no orders. */
export function newStock(): Stock {
  return { items: new Map(), orders: new Map(), lastOrderId: 0n };
}

/** Replaces part of an item. @returns the item after the change; undefined when there is none */
export function changeItem(
  stock: Stock,
  petId: bigint,
  change: Partial<Omit<Item, "petId">>,
): Item | undefined {
  const item = stock.items.get(petId);
  if (!item) {
    return undefined;
  }
  const changed = { ...item, ...change };
  stock.items.set(petId, changed);
  return changed;
}
