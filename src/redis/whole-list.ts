import type { ItemList, ItemPage } from "../inventory/inventory-store.ts";
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
): Promise<ItemList> {
  for (;;) {
    const first = await page(undefined, pageSize);
    const items = [...first.items];
    let last = first;
    while (last.more) {
      last = await page(items.at(-1)?.petId, pageSize);
      items.push(...last.items);
    }
    if (last.version === first.version) return { items, version: last.version };
    const missed = await changesBetween(first.version, last.version);
    // Without them, so much was changed meanwhile that it is better to begin again.
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
