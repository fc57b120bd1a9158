import type { Item } from "./item.ts";

export const sortColumns = ["id", "status", "quantity"] as const;

type SortColumn = (typeof sortColumns)[number];

/** The order of the list. */
export interface Sort {
  readonly column: SortColumn;
  readonly isDescending: boolean;
}

/** Reads the order from the query of the route: `quantity`, or `-quantity` for descending. Undefined if there is none. */
export function sortOf(query: URLSearchParams): Sort | undefined {
  const text = query.get("sort") ?? "";
  const column = sortColumns.find((each) => each === text.replace(/^-/, ""));
  return column && { column, isDescending: text.startsWith("-") };
}

/** Returns an order as a value of the query of the route. */
export function sortText({ column, isDescending }: Sort): string {
  return isDescending ? `-${column}` : column;
}

/**
 * Sorts items that are in ascending order of their ids. Equal items stay in that order.
 *
 * @param open an item that is being edited: it stays in its place when it changes
 */
export function sortItems(
  items: readonly Item[],
  { column, isDescending }: Sort,
  open?: Item,
): readonly Item[] {
  if (column === "id") return isDescending ? items.toReversed() : items;
  const sign = isDescending ? -1 : 1;
  const place = open ? items.findIndex(({ petId }) => petId === open.petId) : -1;
  const current = items[place];
  const before = open && current ? items.with(place, open) : items;
  const sorted = before.toSorted((a, b) => sign * (a[column] - b[column]));
  if (open && current) sorted[sorted.indexOf(open)] = current;
  return sorted;
}
