import type { InventoryStore, Item } from "../../src/stores/inventory-store.ts";
import type { OrderRecord, OrderStore } from "../../src/stores/order-store.ts";

/** All items of a store by ascending pet id, with only pet id, quantity and status. */
export async function listed(inventory: InventoryStore): Promise<readonly Item[]> {
  const { items } = await inventory.list();
  return items.map(({ petId, quantity, status }) => ({ petId, quantity, status }));
}

/** Places an order. @throws Error if the store refuses it */
export async function placed(
  orders: OrderStore,
  accountId: string,
  petId: bigint,
  quantity: number,
  request?: Parameters<OrderStore["place"]>[2],
): Promise<OrderRecord> {
  const outcome = await orders.place(accountId, { petId, quantity }, request);
  if (outcome.kind !== "placed") throw new Error(`the order was not placed: ${outcome.kind}`);
  return outcome.order;
}
