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
  /** The version of the stock at the first page. */
  readonly from: bigint;
  /** The same at the last page so far. */
  to: bigint;
  /** When the last page came, on the clock of performance.now(). */
  readAt: number;
}

/**
 * Makes a function that reads the whole list page by page, as it is at one version of the stock: what was changed
 * while it was read is caught up with from the history. When a page cannot be read, the next call continues with
 * it, so that a long list can be read from a server that is slow now and then. To be called again only when the
 * call before has ended.
 */
export function createWholeListReader(
  page: (after: bigint | undefined, limit: number) => Promise<ItemPage>,
  changesSince: History["changesSince"],
): () => Promise<WholeList> {
  let begun: Begun | undefined;

  return async () => {
    if (begun && performance.now() - begun.readAt > continuedWithinMs) begun = undefined;
    for (;;) {
      const { items, from, to } = await readPages();
      begun = undefined;
      if (from === to) return { items, version: to };
      const missed = await changesBetween(from, to);
      // Without them, so much was changed in the meantime that it is better to begin again.
      if (missed) return { items: afterChanges(items, missed), version: to };
    }
  };

  async function readPages(): Promise<Begun> {
    let next = await page(begun?.items.at(-1)?.petId, pageSize);
    // A stock that has had fewer changes than before is another one.
    if (begun && next.version < begun.to) {
      begun = undefined;
      next = await page(undefined, pageSize);
    }
    const read = begun ?? { items: [], from: next.version, to: next.version, readAt: 0 };
    begun = read;
    for (;;) {
      const { items, version, more } = next;
      // Redis reads the next page while the process makes messages of this one.
      const following = more ? page(items.at(-1)?.petId, pageSize) : undefined;
      for (const item of items) read.items.push(listedItem(item));
      read.to = version;
      read.readAt = performance.now();
      if (!following) return read;
      next = await following;
    }
  }

  async function changesBetween(from: bigint, to: bigint): Promise<StockChange[] | undefined> {
    const found: StockChange[] = [];
    for (let at = from; at < to; at = from + BigInt(found.length)) {
      const since = await changesSince(at, Math.min(pageSize, Number(to - at)));
      if (!since) return undefined;
      found.push(...since.changes);
    }
    return found;
  }
}
