import type { Stores } from "../stores.ts";
import { createMemoryAccountStore } from "./account-store.ts";
import type { MemoryAccounts } from "./accounts.ts";
import { createMemoryAdmissionStore } from "./admission-store.ts";
import { createMemoryInventoryStore } from "./inventory-store.ts";
import { createMemoryOrderStore } from "./order-store.ts";
import { newStock } from "./stock.ts";

/**
 * Stores within the process. Nothing in them outlives it.
 *
 * @param now the clock, in milliseconds since the epoch
 */
export function createMemoryStores(now: () => number = Date.now): Stores {
  const accounts: MemoryAccounts = new Map();
  const stock = newStock();
  return {
    accounts: createMemoryAccountStore(accounts, now),
    admission: createMemoryAdmissionStore(accounts, now),
    inventory: createMemoryInventoryStore(stock),
    orders: createMemoryOrderStore(stock, now),
    async ready() {},
    async ping() {},
    async close() {},
  };
}
