import type { WatchInventoryResponse } from "../../gen/inventory/v1/inventory_pb.ts";
import { watchExpired } from "../errors.ts";
import { seesOrigin, type Viewer } from "../inventory/change-message.ts";
import { changesBetween } from "../inventory/changes-between.ts";
import type { InventoryStore, Item } from "../inventory/inventory-store.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import { changeEvent, snapshotEvent } from "./watch-message.ts";

/** Items, and changes, that are read and told at once. */
const pageSize = 500;

/**
 * Tells the stock in parts, each read when the client has taken the one before. What is changed
 * between two of them is told in further parts, so that all of them together are the stock at one version.
 *
 * @returns that version
 * @throws ConnectError out_of_range when the client takes so long that changes were forgotten in the meantime,
 * or the stock was replaced
 */
export async function* tellSnapshot(
  store: InventoryStore,
): AsyncGenerator<WatchInventoryResponse, bigint> {
  const read = (after: bigint | undefined) => store.page(after, pageSize);
  let page = await read(undefined);
  if (page.items.length > 0) yield snapshotEvent(page.items);
  while (page.more) {
    const { version } = page;
    page = await read(page.items.at(-1)?.petId);
    yield snapshotEvent(page.items);
    // Each page has to be of the same history, too.
    const changes = changesBetween(store.changesSince, version, page.version, pageSize);
    let next = await changes.next();
    for (; !next.done; next = await changes.next()) yield afterChanges(next.value);
    if (!next.value) throw watchExpired();
  }
  return page.version;
}

/**
 * Tells the changes since a version, up to those that are made now.
 *
 * @param viewer the caller that watches
 * @returns the version of the last one
 * @throws ConnectError out_of_range when they are not all remembered
 */
export async function* tellMissed(
  store: InventoryStore,
  version: bigint,
  viewer: Viewer,
): AsyncGenerator<WatchInventoryResponse, bigint> {
  let at = version;
  for (;;) {
    const since = await store.changesSince(at, pageSize);
    if (!since) throw watchExpired();
    for (const change of since.changes) {
      yield changeEvent(change, seesOrigin(viewer, change));
      at = change.version;
    }
    if (since.changes.length >= since.total) return at;
  }
}

/** What the pets that were changed are like after it. */
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
  return snapshotEvent([...items.values()], [...removed]);
}
