import type { ItemPage, ListedItem, WholeList } from "../inventory/inventory-store.ts";
import { listedItem } from "../inventory/item-message.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import type { History } from "./history.ts";
import { afterChanges } from "./item-changes.ts";

/** Items read in one script call, and changes: bounds how long the list keeps the server busy. */
const pageSize = 1_000;

/**
 * Reads the whole list page by page, as it is at one version of the stock: what was changed while it was
 * read is caught up with from the history.
 */
export async function readWholeList(
  page: (after: bigint | undefined, limit: number) => Promise<ItemPage>,
  changesSince: History["changesSince"],
): Promise<WholeList> {
  for (;;) {
    const items: ListedItem[] = [];
    const first = await page(undefined, pageSize);
    let last = first;
    for (;;) {
      // Redis reads the next page while the process makes messages of this one.
      const next = last.more ? page(last.items.at(-1)?.petId, pageSize) : undefined;
      for (const item of last.items) items.push(listedItem(item));
      if (!next) break;
      last = await next;
    }
    if (last.version === first.version) return { items, version: last.version };
    const missed = await changesBetween(first.version, last.version);
    // Without them, so much was changed in the meantime that it is better to begin again.
    if (missed) return { items: afterChanges(items, missed), version: last.version };
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
