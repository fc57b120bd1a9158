import type { WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { InventoryStore, Item, ItemPage } from "../../stores/inventory-store.ts";
import type { StockChange } from "../../stores/stock-change.ts";
import { type Viewer, viewOf } from "../inventory/change-message.ts";
import { listPage, selectedPage } from "../inventory/selected-page.ts";
import { hasAfter, isConcerned, type Selection } from "../inventory/selection.ts";
import { watchExpired } from "./errors.ts";
import { pageItems, type SnapshotPage, type SnapshotPages } from "./snapshot-pages.ts";
import { changeEvent, snapshotEvent } from "./watch-message.ts";

/** Most changes that are read at once. */
const changesAtOnce = 500;

/** Reads the changes between a snapshot's version and a page's. This also checks that both are of the same history. */
function changesTo(pages: SnapshotPages, version: bigint, page: SnapshotPage) {
  return version < page.version
    ? pages.changes(version, page.version)
    : pages.changes(page.version, version);
}

/** Resolves if a client may see the stock at a version. Rejects with the error that ends its watch. */
type Allow = (version: bigint) => Promise<void>;

/** Reads the selected items for one watch, from the cached list. @param pages of the whole stock. Their changes are read */
export function listedPages(
  store: InventoryStore,
  selection: Selection | undefined,
  pages: SnapshotPages,
): SnapshotPages {
  const beganAt = performance.now();
  return {
    begin: async () => undefined,
    async after(petId = 0n) {
      const list = await store.list(beganAt);
      const page = selection
        ? await selectedPage(list, selection, petId, pageItems)
        : listPage(list, petId, pageItems);
      const { items, version, more } = page;
      const message =
        items.length > 0
          ? pageMessages.getOrInsertComputed(page, () => Object.freeze(snapshotEvent(items)))
          : undefined;
      return { message, version, next: more ? items.at(-1)?.petId : undefined };
    },
    changes: pages.changes,
  };
}

/** The messages of pages. Watches with the same selection share them. */
const pageMessages = new WeakMap<ItemPage, WatchInventoryResponse>();

/**
 * Reads the stock page by page. Each page is read when the client has taken the previous one. When a page has another
 * version than the pages before it, the changes between both versions follow. So all messages together are the stock at
 * one version, which has all changes that were acknowledged before the call. It returns that version.
 *
 * @param allow resolves if the client may see the stock at a version. It is called before each part is sent
 * @throws ConnectError out_of_range when the stock was replaced, or when the client is so slow that the history no
 * longer has changes that it needs
 */
export async function* readSnapshot(
  pages: SnapshotPages,
  allow: Allow,
  selection?: Selection,
): AsyncGenerator<WatchInventoryResponse, bigint> {
  let version = await pages.begin();
  let next: bigint | undefined;
  do {
    let page = await pages.after(next, version);
    version ??= page.version;
    let changes = changesTo(pages, version, page);
    let part = await changes.next();
    if (part.done && !part.value && page.version < version) {
      // The page of another snapshot is older than the history. It was dropped, so it is read again.
      page = await pages.after(next, version);
      changes = changesTo(pages, version, page);
      part = await changes.next();
    }
    const isNewer = version < page.version;
    await allow(isNewer ? page.version : version);
    if (page.message) yield page.message;
    for (; !part.done; part = await changes.next()) {
      const concerned = concerning(selection, part.value);
      if (concerned.length > 0) yield afterChanges(concerned, selection);
    }
    if (!part.value) throw watchExpired();
    if (isNewer) version = page.version;
    next = page.next;
  } while (next !== undefined);
  return version;
}

/** Which changes a watch reads. */
interface Missing {
  readonly viewer: Viewer;
  /** Resolves if the client may see the changes up to a version. */
  readonly allow: Allow;
  readonly selection?: Selection | undefined;
  /**
   * The last change: the newest when it is read, or the newest at the first read. The second ends however slowly a client
   * reads while the stock changes.
   */
  readonly end?: "newest" | "newest at first";
}

/**
 * Reads the changes after a version that concern a selection, until there are no more. Returns the version of the last
 * change of the stock.
 *
 * @throws ConnectError out_of_range when the history no longer has all of them
 */
export async function* readMissed(
  store: InventoryStore,
  version: bigint,
  { viewer, allow, selection, end = "newest" }: Missing,
): AsyncGenerator<WatchInventoryResponse, bigint> {
  let at = version;
  let left = Number.POSITIVE_INFINITY;
  while (left > 0) {
    const since = await store.changesSince(at, changesAtOnce);
    if (!since) throw watchExpired();
    left = end === "newest" ? since.total : Math.min(left, since.total);
    const changes = since.changes.slice(0, left);
    left -= changes.length;
    at = changes.at(-1)?.version ?? at;
    await allow(at);
    for (const change of concerning(selection, changes)) {
      yield changeEvent(change, viewOf(viewer, change));
    }
  }
  return at;
}

function concerning(
  selection: Selection | undefined,
  changes: readonly StockChange[],
): readonly StockChange[] {
  return selection ? changes.filter((change) => isConcerned(selection, change)) : changes;
}

/** Makes a snapshot message of the changed pets, as they are after the changes. It is frozen, so that its size counts. */
function afterChanges(
  changes: readonly StockChange[],
  selection: Selection | undefined,
): WatchInventoryResponse {
  const items = new Map<bigint, Item>();
  const removed = new Set<bigint>();
  for (const change of changes) {
    const { petId, quantityAfter, status } = change;
    const isThere = selection === undefined || hasAfter(selection, change);
    if (!isThere || quantityAfter === undefined || status === undefined) {
      items.delete(petId);
      removed.add(petId);
    } else {
      items.set(petId, { petId, quantity: quantityAfter, status });
      removed.delete(petId);
    }
  }
  return Object.freeze(snapshotEvent([...items.values()], [...removed]));
}
