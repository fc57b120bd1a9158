import { changesBetween } from "../inventory/changes-between.ts";
import type { ItemPage, ListedItem, WholeList } from "../inventory/inventory-store.ts";
import { listedItem } from "../inventory/item-message.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import type { History } from "./history.ts";
import { afterChanges } from "./item-changes.ts";

/** Items read in one script call, and changes: bounds how long the list keeps the server busy. */
const pageSize = 1_000;

/** How long after its last page a read that failed can be continued, in milliseconds. */
const continuedWithinMs = 10_000;

/** A read of the whole list that is not complete. */
interface Begun {
  readonly items: ListedItem[];
  /** What was changed between the first page and the last one so far, in order. */
  readonly missed: StockChange[];
  /** The version of the stock at the last page so far. */
  version: bigint;
  /** When the last page came, on the clock of performance.now(). */
  readAt: number;
}

/**
 * Makes a function that reads the whole list page by page, as it is at one version of the stock: what was changed
 * between two pages is caught up with from the history. When the history does not have it, the read starts over. When
 * a page cannot be read, the next call continues with it, so that a long list can be read from a server that is slow
 * now and then. To be called again only when the call before has ended.
 */
export function createWholeListReader(
  page: (after: bigint | undefined, limit: number) => Promise<ItemPage>,
  changesSince: History["changesSince"],
): () => Promise<WholeList> {
  let begun: Begun | undefined;

  return async () => {
    if (begun && performance.now() - begun.readAt > continuedWithinMs) begun = undefined;
    for (;;) {
      const read = await readPages();
      begun = undefined;
      // Otherwise so much was changed in the meantime that it is better to begin again, or the stock was replaced.
      if (read) return wholeList(read);
    }
  };

  /** @returns undefined when the pages are not of one history, or it does not have all changes between them */
  async function readPages(): Promise<Begun | undefined> {
    let next = await page(begun?.items.at(-1)?.petId, pageSize);
    const read = begun ?? { items: [], missed: [], version: next.version, readAt: 0 };
    begun = read;
    for (;;) {
      const { items, version, more } = next;
      const missed = await changesUpTo(read.version, version);
      if (!missed) return undefined;
      // Redis reads the next page while the process makes messages of this one.
      const following = more ? page(items.at(-1)?.petId, pageSize) : undefined;
      for (const item of items) read.items.push(listedItem(item));
      for (const change of missed) read.missed.push(change);
      read.version = version;
      read.readAt = performance.now();
      if (!following) return read;
      next = await following;
    }
  }

  async function changesUpTo(from: bigint, to: bigint): Promise<StockChange[] | undefined> {
    const found: StockChange[] = [];
    const parts = changesBetween(changesSince, from, to, pageSize);
    let next = await parts.next();
    for (; !next.done; next = await parts.next()) found.push(...next.value);
    return next.value ? found : undefined;
  }
}

function wholeList({ items, missed, version }: Begun): WholeList {
  return { items: missed.length > 0 ? afterChanges(items, missed) : items, version };
}
