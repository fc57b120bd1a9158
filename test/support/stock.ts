import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { InventoryStore, Item } from "../../src/stores/inventory-store.ts";
import type { OrderRecord, OrderStore } from "../../src/stores/order-store.ts";

/** All items of a store by ascending pet id, with only pet id, quantity and status. */
export async function listed(inventory: InventoryStore): Promise<readonly Item[]> {
  const { items } = await inventory.list();
  return items.map(({ petId, quantity, status }) => ({ petId, quantity, status }));
}

/** Returns items with consecutive pet ids. A function as `quantity` gets the position of the item. */
export function itemsFrom(
  first: bigint,
  count: number,
  quantity: number | ((at: number) => number) = 1,
  status: PetStatus = PetStatus.AVAILABLE,
) {
  return Array.from({ length: count }, (_, at) => ({
    petId: first + BigInt(at),
    quantity: typeof quantity === "number" ? quantity : quantity(at),
    status,
  }));
}

/** Yields the messages of an upload. */
export async function* upload<T>(...messages: readonly T[]): AsyncGenerator<T> {
  yield* messages;
}

/** Places an order. @throws Error if the store refuses it */
export async function placed(
  orders: OrderStore,
  accountId: string,
  petId: bigint,
  quantity: number,
  request?: Parameters<OrderStore["place"]>[2],
  reference?: string,
): Promise<OrderRecord> {
  const order = { petId, quantity, ...(reference !== undefined && { reference }) };
  const outcome = await orders.place(accountId, order, request);
  if (outcome.kind !== "placed") throw new Error(`the order was not placed: ${outcome.kind}`);
  return outcome.order;
}
