import { changesBetween } from "../inventory/changes-between.ts";
import type { Item, ItemList, ItemPage } from "../inventory/inventory-store.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import type { History } from "./history.ts";
import { afterChanges } from "./item-changes.ts";

/** Items read in one script call, and changes: bounds how long the list keeps the server busy. */
const pageSize = 1_000;

/**
 * Reads the whole list page by page, as it is at one version of the stock: what was changed between two pages
 * is caught up with from the history.
 */
export async function readWholeList(
  page: (after: bigint | undefined, limit: number) => Promise<ItemPage>,
  changesSince: History["changesSince"],
): Promise<ItemList> {
  for (;;) {
    const list = await readOnce();
    // Otherwise so much was changed between two pages that it is better to begin again.
    if (list) return list;
  }

  async function readOnce(): Promise<ItemList | undefined> {
    const items: Item[] = [];
    const missed: StockChange[] = [];
    let read = await page(undefined, pageSize);
    for (;;) {
      items.push(...read.items);
      if (!read.more) break;
      const { version } = read;
      read = await page(items.at(-1)?.petId, pageSize);
      // Each page has to be of the same history, too.
      const changes = changesBetween(changesSince, version, read.version, pageSize);
      let next = await changes.next();
      for (; !next.done; next = await changes.next()) missed.push(...next.value);
      if (!next.value) return undefined;
    }
    const { version } = read;
    return { items: missed.length > 0 ? afterChanges(items, missed) : items, version };
  }
}
