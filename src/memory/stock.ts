import type { Item, VersionedItem } from "../inventory/inventory-store.ts";
import {
  changesInEntry,
  type HistoryLimits,
  historySlack,
  mostForgottenAtOnce,
  mostTrimmedAtOnce,
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
  /** Entries of the history, oldest first: the versions of their first and last changes. */
  readonly entries: Map<bigint, bigint>;
  /** Answers by account and idempotency key. */
  readonly answers: Map<string, RememberedAnswer>;
  /** Orders by account, in ascending order of id. */
  readonly orders: Map<string, OrderRecord[]>;
  /** How much of the history is kept; all of it when undefined. */
  readonly history: HistoryLimits | undefined;
  readonly now: () => number;
  /** Told of every change, after it. */
  readonly listeners: Set<() => void>;
  version: bigint;
  lastOrderId: bigint;
}

/** No stock, no orders. */
export function newStock(now: () => number, history: HistoryLimits | undefined): Stock {
  return {
    items: new Map(),
    changes: new Map(),
    entries: new Map(),
    answers: new Map(),
    orders: new Map(),
    history,
    now,
    listeners: new Set(),
    version: 0n,
    lastOrderId: 0n,
  };
}

/** Adds an item, or replaces it. @returns the item after the change */
export function writeItem(stock: Stock, item: Item, origin: Origin): VersionedItem {
  const change = { petId: item.petId, after: item };
  appendEntry(stock, [change], origin);
  endRequest(stock, 1);
  return stock.items.get(item.petId) as VersionedItem;
}

/**
 * Adds items, or replaces them.
 *
 * @param items each of another pet
 * @returns the version of the first change: the others follow in order
 */
export function writeItems(stock: Stock, items: readonly Item[], origin: Origin): bigint {
  const first = stock.version + 1n;
  let entries = 0;
  for (let from = 0; from < items.length; from += changesInEntry) {
    const changes = items
      .slice(from, from + changesInEntry)
      .map((after) => ({ petId: after.petId, after }));
    appendEntry(stock, changes, origin);
    entries += 1;
  }
  endRequest(stock, entries);
  return first;
}

/** Removes an item that is there. */
export function removeItem(stock: Stock, petId: bigint, origin: Origin): void {
  appendEntry(stock, [{ petId, after: undefined }], origin);
  endRequest(stock, 1);
}

/** Makes changes of different pets, each raising the version, and appends them to the history. */
function appendEntry(
  stock: Stock,
  changes: readonly { readonly petId: bigint; readonly after: Item | undefined }[],
  origin: Origin,
): void {
  const { reason, note, reference, accountId, keyId, requestId } = origin;
  stock.entries.set(stock.version + 1n, stock.version + BigInt(changes.length));
  for (const { petId, after } of changes) {
    const before = stock.items.get(petId);
    stock.version += 1n;
    const { version } = stock;
    stock.changes.set(version, {
      version,
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
    if (after) {
      stock.items.set(petId, { petId, quantity: after.quantity, status: after.status, version });
    } else {
      stock.items.delete(petId);
    }
  }
}

/** @param entries that were appended to the history */
function endRequest(stock: Stock, entries: number): void {
  trimHistory(stock, entries);
  for (const listener of stock.listeners) listener();
}

/** Removes from the history what is too much or too old, as change.lua does. */
function trimHistory(stock: Stock, entries: number): void {
  if (!stock.history) return;
  const { length, ageMs } = stock.history;
  const [oldest] = stock.entries.values();
  if (oldest === undefined) return;
  const excess = Number(stock.version - oldest) - length;
  if (excess >= historySlack) {
    forgetUpTo(stock, oldest + BigInt(Math.min(excess, mostTrimmedAtOnce)));
  }
  const most = Math.min(2 * entries, mostForgottenAtOnce);
  const lastTooOld = stock.now() - ageMs;
  for (const last of stock.entries.values().take(most).toArray()) {
    if ((stock.changes.get(last)?.changedAt ?? 0) > lastTooOld) return;
    forgetUpTo(stock, last);
  }
}

/** Removes the entries that end with this version or an earlier one. */
function forgetUpTo({ entries, changes }: Stock, version: bigint): void {
  for (const [first, last] of entries) {
    if (last > version) return;
    entries.delete(first);
    for (let at = first; at <= last; at += 1n) changes.delete(at);
  }
}
