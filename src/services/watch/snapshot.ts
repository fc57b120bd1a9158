import type { WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { InventoryStore, Item } from "../../stores/inventory-store.ts";
import type { StockChange } from "../../stores/stock-change.ts";
import { seesOrigin, type Viewer } from "../inventory/change-message.ts";
import { watchExpired } from "./errors.ts";
import type { SnapshotPage, SnapshotPages } from "./snapshot-pages.ts";
import { changeEvent, snapshotEvent } from "./watch-message.ts";

/** Most changes that are read at once. */
const changesAtOnce = 500;

/** Reads the changes between a snapshot's version and a page's. This also checks that both are of the same history. */
function changesTo(pages: SnapshotPages, version: bigint, page: SnapshotPage) {
  return version < page.version
    ? pages.changes(version, page.version)
    : pages.changes(page.version, version);
}

const isIncomplete = ({ done, value }: IteratorResult<unknown, boolean>) => done && !value;

/**
 * Reads the stock page by page. Each page is read when the client has taken the previous one. When a page has another
 * version than the pages before it, the changes between both versions follow. So all messages together are the stock at
 * one version, which has all changes that were acknowledged before the call. It returns that version.
 *
 * @throws ConnectError out_of_range when the stock was replaced, or when the client is so slow that the history no
 * longer has changes that it needs
 */
export async function* readSnapshot(
  pages: SnapshotPages,
): AsyncGenerator<WatchInventoryResponse, bigint> {
  let version = await pages.begin();
  let next: bigint | undefined;
  do {
    let page = await pages.after(next, version);
    version ??= page.version;
    let changes = changesTo(pages, version, page);
    let part = await changes.next();
    if (isIncomplete(part) && page.version < version) {
      // The page of another snapshot is older than the history. It was dropped, so it is read again.
      page = await pages.after(next, version);
      changes = changesTo(pages, version, page);
      part = await changes.next();
    }
    if (page.message) yield page.message;
    for (; !part.done; part = await changes.next()) yield afterChanges(part.value);
    if (!part.value) throw watchExpired();
    if (version < page.version) version = page.version;
    next = page.next;
  } while (next !== undefined);
  return version;
}

/**
 * Reads the changes after a version, until there are no more. Returns the version of the last one.
 *
 * @throws ConnectError out_of_range when the history no longer has all of them
 */
export async function* readMissed(
  store: InventoryStore,
  version: bigint,
  viewer: Viewer,
): AsyncGenerator<WatchInventoryResponse, bigint> {
  let at = version;
  for (;;) {
    const since = await store.changesSince(at, changesAtOnce);
    if (!since) throw watchExpired();
    for (const change of since.changes) {
      yield changeEvent(change, seesOrigin(viewer, change));
      at = change.version;
    }
    if (since.changes.length >= since.total) return at;
  }
}

/** Makes a snapshot message of the changed pets, as they are after the changes. It is frozen, so that its size counts. */
function afterChanges(changes: readonly StockChange[]): WatchInventoryResponse {
  const items = new Map<bigint, Item>();
  const removed = new Set<bigint>();
  for (const { petId, quantityAfter, status } of changes) {
    if (quantityAfter === undefined || status === undefined) {
      items.delete(petId);
      removed.add(petId);
    } else {
      items.set(petId, { petId, quantity: quantityAfter, status });
      removed.delete(petId);
    }
  }
  return Object.freeze(snapshotEvent([...items.values()], [...removed]));
}
