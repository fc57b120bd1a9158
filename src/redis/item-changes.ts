import type { ListedItem } from "../inventory/inventory-store.ts";
import { listedItem } from "../inventory/item-message.ts";
import type { StockChange } from "../inventory/stock-change.ts";

/**
 * Items as they are after changes. Those that did not change stay the same objects. Takes time for each item
 * and each change, not for each of both.
 *
 * @param items in ascending order of pet id, as the result is
 * @param changes in order, none left out since the first of the items was read
 */
export function afterChanges(
  items: readonly ListedItem[],
  changes: readonly StockChange[],
): ListedItem[] {
  const lastChanges = new Map(changes.map((change) => [change.petId, change]));
  const inOrder = [...lastChanges.values()].sort((a, b) => (a.petId < b.petId ? -1 : 1));
  const changed: ListedItem[] = [];
  let at = 0;
  for (const change of inOrder) {
    const end = indexOf(items, change.petId);
    for (; at < end; at += 1) changed.push(items[at] as ListedItem);
    if (items[at]?.petId === change.petId) at += 1;
    const item = itemAfter(change);
    if (item) changed.push(item);
  }
  for (; at < items.length; at += 1) changed.push(items[at] as ListedItem);
  return changed;
}

/** Where a pet is among the items, or would be. */
function indexOf(items: readonly ListedItem[], petId: bigint): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item && item.petId < petId) low = middle + 1;
    else high = middle;
  }
  return low;
}

function itemAfter({ petId, quantityAfter, status }: StockChange): ListedItem | undefined {
  if (quantityAfter === undefined || status === undefined) return undefined;
  return listedItem({ petId, quantity: quantityAfter, status });
}
