import type { Item, VersionedItem } from "../inventory/inventory-store.ts";
import {
  type HistoryLimits,
  mostForgottenAtOnce,
  type Origin,
  type StockChange,
} from "../inventory/stock-change.ts";
import type { OrderRecord } from "../store/order-store.ts";
import type { RememberedAnswer } from "./answers.ts";

/** Stock, its history and orders: what the inventory store and the order store share. */
export interface Stock {
  readonly items: Map<bigint, VersionedItem>;
  /** Changes by version, oldest first. */
  readonly changes: Map<bigint, StockChange>;
  /** Answers by account and idempotency key. */
  readonly answers: Map<string, RememberedAnswer>;
  /** Orders by account, oldest first. */
  readonly orders: Map<string, Map<bigint, OrderRecord>>;
  /** How much of the history is kept; all of it when undefined. */
  readonly history: HistoryLimits | undefined;
  readonly now: () => number;
  /** Told of every change, after it. */
  readonly listeners: Set<() => void>;
  version: bigint;
  /** Version of the oldest change that is remembered; one more than `version` when there is none. */
  oldestChange: bigint;
  lastOrderId: bigint;
}

/** No stock, no orders. */
export function newStock(now: () => number, history: HistoryLimits | undefined): Stock {
  return {
    items: new Map(),
    changes: new Map(),
    answers: new Map(),
    orders: new Map(),
    history,
    now,
    listeners: new Set(),
    version: 0n,
    oldestChange: 1n,
    lastOrderId: 0n,
  };
}

/** Adds an item, or replaces it. @returns the item after the change */
export function writeItem(stock: Stock, item: Item, origin: Origin): VersionedItem {
  const { petId, quantity, status } = item;
  const version = appendChange(stock, petId, { petId, quantity, status }, origin);
  const changed = { petId, quantity, status, version };
  stock.items.set(petId, changed);
  return changed;
}

/** Removes an item that is there. */
export function removeItem(stock: Stock, petId: bigint, origin: Origin): void {
  appendChange(stock, petId, undefined, origin);
  stock.items.delete(petId);
}

/** Raises the version and appends to the history. @returns the version */
function appendChange(
  stock: Stock,
  petId: bigint,
  after: Item | undefined,
  origin: Origin,
): bigint {
  const before = stock.items.get(petId);
  stock.version += 1n;
  const { reason, note, reference, accountId, keyId, requestId } = origin;
  stock.changes.set(stock.version, {
    version: stock.version,
    petId,
    quantityBefore: before?.quantity,
    quantityAfter: after?.quantity,
    status: after?.status,
    previousVersion: before?.version,
    changedAt: stock.now(),
    reason,
    note,
    reference,
    accountId,
    keyId,
    requestId,
  });
  forgetOld(stock);
  for (const listener of stock.listeners) listener();
  return stock.version;
}

function forgetOld(stock: Stock): void {
  const { changes, history } = stock;
  if (!history) return;
  const lastTooOld = stock.now() - history.ageMs;
  for (let forgotten = 0; ; forgotten += 1) {
    const oldest = changes.get(stock.oldestChange);
    if (!oldest) return;
    const isTooOld = oldest.changedAt <= lastTooOld && forgotten < mostForgottenAtOnce;
    if (!isTooOld && changes.size <= history.length) return;
    changes.delete(oldest.version);
    stock.oldestChange += 1n;
  }
}
