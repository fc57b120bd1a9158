import type { Item } from "../inventory/inventory-store.ts";
import type { StockChange } from "../inventory/stock-change.ts";

/**
 * Items as they are after changes. Those that did not change stay the same objects.
 *
 * @param items in ascending order of pet id, as the answer is
 * @param changes in order, none left out since the first of the items was read
 */
export function afterChanges(items: readonly Item[], changes: readonly StockChange[]): Item[] {
  const changed = items.slice();
  for (const change of changes) {
    const at = indexOf(changed, change.petId);
    const isThere = changed[at]?.petId === change.petId;
    const item = itemAfter(change);
    changed.splice(at, isThere ? 1 : 0, ...(item ? [item] : []));
  }
  return changed;
}

/** Where a pet is among the items, or would be. */
function indexOf(items: readonly Item[], petId: bigint): number {
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

function itemAfter({ petId, quantityAfter, status }: StockChange): Item | undefined {
  if (quantityAfter === undefined || status === undefined) return undefined;
  return { petId, quantity: quantityAfter, status };
}
