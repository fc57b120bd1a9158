import { inSlices } from "connect-gateway/call";
import type {
  ListInventoryRequest,
  ListInventoryResponse,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { firstIndex } from "../../stores/first-index.ts";
import type { ItemPage, ListedItem, WholeList } from "../../stores/inventory-store.ts";
import { hasValues, type Selection, selectionOf } from "./selection.ts";

/** Items that a scan reads without a pause: about 50 µs. */
const scannedAtOnce = 4_096;

/**
 * The most that is cached for one list, in items. Each page counts as its items and the work to find it again: a list that
 * has changed is scanned again for each selection in the cache, before the callers' turns.
 */
const maxCached = 20_000;
const scanCost = 1_000;
const lookupCost = 50;

/** A page of the items that belong to a selection. */
export interface SelectedPage extends ItemPage {
  /** Frozen, so that text is cached for the whole page, and not for each of its parts as for the list. */
  readonly items: readonly ListedItem[];
  /** What it counts as in the cache. */
  readonly cost: number;
  /** The response with the page, if the page is cached. */
  response?: ListInventoryResponse;
}

/** Returns whether a page is so short that it is cached, together with what is made of it. */
export function isCacheable({ cost }: SelectedPage): boolean {
  return cost <= maxCached / 4;
}

/** Pages of one list by their keys, the oldest first. */
interface PageCache {
  readonly pages: Map<string, SelectedPage | Promise<SelectedPage>>;
  size: number;
}

const caches = new WeakMap<WholeList, PageCache>();
/** The pages of the list that was used last. */
let latest: PageCache["pages"] | undefined;

/**
 * Finds the items of a list that belong to a selection; the same page while the list stays the same.
 *
 * @param after the page begins with the next pet
 * @returns a promise when a scan takes long
 */
export function selectedPage(
  list: WholeList,
  selection: Selection,
  after: bigint,
  limit: number,
): SelectedPage | Promise<SelectedPage> {
  const find = () => inSlices(findPage(list, selection, after, limit));
  if (!Object.isFrozen(list)) return find();
  const cache = caches.getOrInsertComputed(list, newCache);
  latest = cache.pages;
  const key = keyOf(selection, after, limit);
  const known = cache.pages.get(key);
  if (known) return known;
  const found = find();
  cache.pages.set(key, found);
  if (!(found instanceof Promise)) return keep(cache, key, found);
  return found.then((page) => keep(cache, key, page));
}

/** Returns a page of a list. @param after the page begins with the next pet */
export function listPage({ items, version }: WholeList, after: bigint, limit: number): ItemPage {
  const begin = placeOf(items, after + 1n);
  const end = Math.min(begin + limit, items.length);
  return { items: items.slice(begin, end), more: end < items.length, version };
}

/** Returns whether a request needs a scan of the list: it selects by status or quantity, and the result is not cached. */
export function needsScan(request: ListInventoryRequest): boolean {
  if (request.petIds.length > 0) return false;
  const selection = selectionOf(request);
  if (!selection) return false;
  const { pageSize = Number.POSITIVE_INFINITY, pageToken } = request;
  return pageToken !== "" || latest?.has(keyOf(selection, 0n, pageSize)) !== true;
}

const newCache = (): PageCache => ({ pages: new Map(), size: 0 });

function keyOf({ key }: Selection, after: bigint, limit: number): string {
  return `${after} ${limit} ${key}`;
}

/** Keeps a page in the cache if it is short, and drops the oldest pages instead. */
function keep(cache: PageCache, key: string, page: SelectedPage): SelectedPage {
  const { pages } = cache;
  if (!isCacheable(page)) {
    pages.delete(key);
    return page;
  }
  pages.set(key, page);
  cache.size += page.cost;
  for (const [oldest, dropped] of pages) {
    if (cache.size <= maxCached) break;
    if (dropped instanceof Promise) continue;
    pages.delete(oldest);
    cache.size -= dropped.cost;
  }
  return page;
}

function* findPage(
  { items, version }: WholeList,
  selection: Selection,
  after: bigint,
  limit: number,
): Generator<void, SelectedPage> {
  const { petIds } = selection;
  const found: ListedItem[] = [];
  // One more than the limit shows whether another page follows.
  if (petIds.length > 0) addPets(found, items, selection, after);
  else {
    const scan = { items, selection, limit };
    let at = after === 0n ? 0 : placeOf(items, after + 1n);
    while (at < items.length && found.length <= limit) {
      at = addScanned(found, scan, at, Math.min(at + scannedAtOnce, items.length));
      yield;
    }
  }
  const more = found.length > limit;
  if (more) found.length = limit;
  const cost = found.length + (petIds.length > 0 ? lookupCost : scanCost);
  return { items: Object.freeze(found), more, version, cost };
}

/** Adds the selected pets after a pet. There are at most 100. */
function addPets(
  found: ListedItem[],
  items: readonly ListedItem[],
  selection: Selection,
  after: bigint,
): void {
  for (const petId of selection.petIds) {
    if (petId <= after) continue;
    const item = items[placeOf(items, petId)];
    if (item?.petId === petId && hasValues(selection, item.quantity, item.status)) found.push(item);
  }
}

/** The items of a list that a selection is looked for in, and how many are wanted at most. */
interface Scan {
  readonly items: readonly ListedItem[];
  readonly selection: Selection;
  readonly limit: number;
}

/** Adds the selected items of a part of the list. @returns the index after the last item that it has read */
function addScanned(
  found: ListedItem[],
  { items, selection, limit }: Scan,
  begin: number,
  end: number,
): number {
  for (let at = begin; at < end; at += 1) {
    const item = items[at] as ListedItem;
    if (!hasValues(selection, item.quantity, item.status)) continue;
    found.push(item);
    if (found.length > limit) return at + 1;
  }
  return end;
}

/** Returns the index of a pet, or where it would be inserted. */
function placeOf(items: readonly ListedItem[], petId: bigint): number {
  return firstIndex(items.length, (at) => (items[at] as ListedItem).petId >= petId);
}
