import type { IdChoice, OrderLimits } from "../order-store.ts";
import type { HistoryLimits } from "../stock-change.ts";
import type { Stores } from "../stores.ts";
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

/** Settings of stores in memory. */
export interface MemoryStoresOptions {
  /** Limits of the history of the stock; no limits when absent. */
  readonly history?: HistoryLimits | undefined;
  /** The highest number of entries of the audit trail; no limit when absent. */
  readonly auditLength?: number | undefined;
  /** Chooses the random numbers of order ids. */
  readonly chooseOrderId?: (() => IdChoice) | undefined;
  /** Limits of the orders of each account; no limits when absent. */
  readonly orders?: OrderLimits | undefined;
}

/** Makes stores in memory. Their data is lost when the process ends. @param now the clock, in milliseconds since the epoch */
export function createMemoryStores(
  now: () => number = Date.now,
  { history, auditLength, chooseOrderId, orders }: MemoryStoresOptions = {},
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
