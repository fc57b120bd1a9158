import type { Stores, StoresOptions } from "../stores.ts";
import { createMemoryAccountStore } from "./account-store.ts";
import type { MemoryAccounts } from "./accounts.ts";
import { createMemoryAdmissionStore } from "./admission-store.ts";
import { createMemoryAuditStore } from "./audit-store.ts";
import { createMemoryCatalogStore } from "./catalog-store.ts";
import { createMemoryChangeReader, type MemoryRevocations } from "./history.ts";
import { createMemoryHoldStore } from "./hold-store.ts";
import { createMemoryInventoryStore } from "./inventory-store.ts";
import { createMemoryOrderStore } from "./order-store.ts";
import { createMemoryPlaceStore } from "./place-store.ts";
import { newStock } from "./stock.ts";
import { createMemoryUsageStore } from "./usage-store.ts";

/** Makes stores in memory. Their data is lost when the process ends. @param now the clock, in milliseconds since the epoch */
export function createMemoryStores(
  now: () => number = Date.now,
  { history, auditLength, chooseOrderId, orders }: StoresOptions = {},
): Stores {
  const accounts: MemoryAccounts = new Map();
  const stock = newStock(now, history, orders);
  const revocations: MemoryRevocations = new Set();
  const holds = createMemoryHoldStore(stock, chooseOrderId);
  return {
    accounts: createMemoryAccountStore(accounts, revocations, now),
    admission: createMemoryAdmissionStore(accounts, now),
    audit: createMemoryAuditStore(now, auditLength),
    catalog: createMemoryCatalogStore(stock),
    holds,
    inventory: createMemoryInventoryStore(stock),
    orders: createMemoryOrderStore(stock, chooseOrderId),
    places: createMemoryPlaceStore(now),
    usage: createMemoryUsageStore(accounts, now),
    readChanges: (onRevoked) => createMemoryChangeReader(stock, revocations, onRevoked),
    async ready() {},
    async ping() {},
    async reconnect() {},
    status: async () => ({ servers: [], history: undefined, holds: await holds.totals() }),
    async close() {},
  };
}
