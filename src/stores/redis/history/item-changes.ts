import type { ListedItem } from "../../inventory-store.ts";
import { listedItem } from "../../item-message.ts";
import type { StockChange } from "../../stock-change.ts";
import { changedList } from "../changed-list.ts";

/** Applies changes to items, like {@link changedList}. @param changes all since the first item was read, in order */
export function afterChanges(
  items: readonly ListedItem[],
  changes: readonly StockChange[],
): readonly ListedItem[] {
  const last = new Map(changes.map((change) => [change.petId, change]));
  const changed = new Map([...last].map(([petId, change]) => [petId, itemAfter(change)]));
  return changedList(items, changed);
}

function itemAfter({ petId, quantityAfter, status }: StockChange): ListedItem | undefined {
  if (quantityAfter === undefined || status === undefined) return undefined;
  return listedItem({ petId, quantity: quantityAfter, status });
}
