import type { PetNames } from "../catalog-store.ts";
import type { HoldRecord } from "../hold-store.ts";
import type { Item, VersionedItem } from "../inventory-store.ts";
import type { OrderLimits, OrderRecord } from "../order-store.ts";
import {
  type ChangeRequest,
  changesInEntry,
  type HistoryLimits,
  type Origin,
  type Outcome,
  outcomeTtlMs,
  type StockChange,
} from "../stock-change.ts";
import { createChangeLog } from "./change-log.ts";

export interface StoredOrder extends OrderRecord {
  /** When it was delivered or cancelled, in milliseconds since the epoch; undefined while it is open. */
  readonly endedAt: number | undefined;
}

export interface StoredHold extends HoldRecord {
  /** Milliseconds since the epoch; 0 while it is active. */
  readonly endedAt: number;
}

/** Stock, history, orders and holds. Their stores share them. */
export type Stock = ReturnType<typeof newStock>;

/** Makes an empty stock without orders. There are no limits of the history or of orders where these are undefined. */
export function newStock(
  now: () => number,
  history: HistoryLimits | undefined,
  orderLimits: OrderLimits | undefined,
) {
  return {
    items: new Map<bigint, VersionedItem>(),
    /** Names and SKUs of pets. */
    catalog: {
      /** Without the pets that have neither. */
      names: new Map<bigint, PetNames>(),
      /** The pet that has an SKU. */
      skus: new Map<string, bigint>(),
      version: 0n,
    },
    changes: createChangeLog(),
    /** Stored outcomes by account and idempotency key, with the time in milliseconds since the epoch. */
    outcomes: new Map<string, { madeAt: number; fingerprint: string; outcome: object }>(),
    /** Those of all accounts, in ascending order of id. */
    orders: [] as StoredOrder[],
    /** The number of open orders of each account that has any. */
    openOrders: new Map<string, number>(),
    orderLimits,
    /** When the orders of accounts were deleted, in milliseconds since the epoch. The oldest come first. */
    deletedAccounts: new Map<string, number>(),
    /** The holds of all accounts. */
    holds: {
      /** By account and id. */
      records: new Map<string, StoredHold>(),
      /** The held units of pets that have any. */
      units: new Map<bigint, number>(),
      ended: { confirmed: 0, released: 0, expired: 0 },
    },
    history,
    now,
    /** Whether a request makes changes that belong together. */
    isInRequest: false,
    /** Called after every change. */
    listeners: new Set<() => void>(),
    version: 0n,
    lastOrderId: 0n,
  };
}

/** Adds or replaces an item. @returns the item after the change */
export function writeItem(stock: Stock, item: Item, origin: Origin): VersionedItem {
  writeItems(stock, [item], origin);
  return stock.items.get(item.petId) as VersionedItem;
}

/** Adds or replaces items of different pets. @returns the version of the first change; the others follow in order */
export function writeItems(stock: Stock, items: readonly Item[], origin: Origin): bigint {
  const first = nextVersion(stock);
  for (let from = 0; from < items.length; from += changesInEntry) {
    const changes = items
      .slice(from, from + changesInEntry)
      .map((after) => ({ petId: after.petId, after }));
    appendEntry(stock, first + BigInt(from), changes, origin);
  }
  endRequest(stock);
  return first;
}

/** Removes an existing item. */
export function removeItem(stock: Stock, petId: bigint, origin: Origin): void {
  appendEntry(stock, nextVersion(stock), [{ petId, after: undefined }], origin);
  endRequest(stock);
}

/** Returns the version of the next change, as in change.lua. */
export function nextVersion({ version, now }: Stock): bigint {
  const time = BigInt(now()) * 1_000n;
  return version < time ? time : version + 1n;
}

/** Changes different pets, which each increase the version by one, and appends the changes to the history. */
function appendEntry(
  stock: Stock,
  first: bigint,
  changes: readonly { readonly petId: bigint; readonly after: Item | undefined }[],
  origin: Origin,
): void {
  const changedAt = stock.now();
  const made = changes.map(({ petId, after }, index): StockChange => {
    const before = stock.items.get(petId);
    const version = first + BigInt(index);
    if (after) {
      stock.items.set(petId, { petId, quantity: after.quantity, status: after.status, version });
    } else {
      stock.items.delete(petId);
    }
    return {
      version,
      petId,
      quantityBefore: before?.quantity,
      quantityAfter: after?.quantity,
      statusBefore: before?.status,
      status: after?.status,
      previousVersion: before?.version,
      changedAt,
      ...origin,
    };
  });
  stock.changes.append(stock.version, made);
  stock.version = first + BigInt(changes.length - 1);
}

/** Makes changes that belong to one request. */
export function asOneRequest<T>(stock: Stock, make: () => T): T {
  if (stock.isInRequest) return make();
  const { version } = stock;
  stock.isInRequest = true;
  try {
    return make();
  } finally {
    stock.isInRequest = false;
    if (stock.version !== version) endRequest(stock);
  }
}

function endRequest(stock: Stock): void {
  if (stock.isInRequest) return;
  if (stock.history) stock.changes.trim(stock.history, stock.now());
  for (const listener of stock.listeners) listener();
}

/** Decides on a request as a whole, or returns its stored outcome. Outcomes that are passing are not stored. */
export function decideOnce<T extends object>(
  stock: Stock,
  { accountId, idempotency }: Pick<Origin, "accountId"> & Pick<ChangeRequest, "idempotency">,
  decide: () => T,
  isPassing: (outcome: T) => boolean = () => false,
): Outcome<T> {
  const { outcomes, now } = stock;
  if (!idempotency) return { ...asOneRequest(stock, decide), replayed: false };
  const { key, fingerprint } = idempotency;
  const place = `${accountId} ${key}`;
  const time = now();
  // The oldest come first. They are deleted later than they expire: a clock that is set back a little makes them valid again.
  for (const [old, { madeAt }] of outcomes) {
    if (time - madeAt < 2 * outcomeTtlMs) break;
    outcomes.delete(old);
  }
  const known = outcomes.get(place);
  if (known && time - known.madeAt < outcomeTtlMs) {
    if (known.fingerprint !== fingerprint) return { kind: "key_reused", replayed: false };
    return { ...(known.outcome as T), replayed: true };
  }
  const outcome = asOneRequest(stock, decide);
  if (isPassing(outcome)) return { ...outcome, replayed: false };
  outcomes.delete(place);
  outcomes.set(place, { madeAt: time, fingerprint, outcome });
  return { ...outcome, replayed: false };
}
