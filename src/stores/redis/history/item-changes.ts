import { firstIndex } from "../../first-index.ts";
import type { ListedItem } from "../../inventory-store.ts";
import { listedItem } from "../../item-message.ts";
import type { StockChange } from "../../stock-change.ts";

/** The result of all changes of one pet. */
interface Result {
  /** The index of the pet among the items, or where it would be inserted. */
  readonly at: number;
  readonly isThere: boolean;
  /** Undefined when the pet was removed. */
  readonly item: ListedItem | undefined;
}

/**
 * Applies changes to items. Unchanged items stay the same objects. The time is linear in the number of items, and the
 * only memory is that of the result, because a list can have a million items.
 *
 * @param items in ascending order of pet id, like the result
 * @param changes in order, without a gap since the first of the items was read
 */
export function afterChanges(
  items: readonly ListedItem[],
  changes: readonly StockChange[],
): readonly ListedItem[] {
  const results = resultsOf(items, changes);
  if (results.every(({ isThere, item }) => isThere && item)) {
    const changed = items.slice();
    for (const { at, item } of results) if (item) changed[at] = item;
    return changed;
  }
  const added = results.filter(({ isThere, item }) => item && !isThere).length;
  const removed = results.filter(({ isThere, item }) => isThere && !item).length;
  const changed = new Array<ListedItem>(items.length + added - removed);
  let from = 0;
  let to = 0;
  const copyUntil = (end: number) => {
    for (; from < end; from += 1, to += 1) changed[to] = items[from] as ListedItem;
  };
  for (const { at, isThere, item } of results) {
    copyUntil(at);
    if (isThere) from += 1;
    if (item) {
      changed[to] = item;
      to += 1;
    }
  }
  copyUntil(items.length);
  return changed;
}

/** @returns in ascending order of pet id */
function resultsOf(items: readonly ListedItem[], changes: readonly StockChange[]): Result[] {
  const lastChanges = new Map(changes.map((change) => [change.petId, change]));
  return [...lastChanges.values()]
    .sort((a, b) => (a.petId < b.petId ? -1 : 1))
    .map((change) => {
      const { petId } = change;
      const at = firstIndex(items.length, (index) => (items[index] as ListedItem).petId >= petId);
      return { at, isThere: items[at]?.petId === petId, item: itemAfter(change) };
    });
}

function itemAfter({ petId, quantityAfter, status }: StockChange): ListedItem | undefined {
  if (quantityAfter === undefined || status === undefined) return undefined;
  return listedItem({ petId, quantity: quantityAfter, status });
}
