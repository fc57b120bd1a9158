import type { PetStatus } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { type Item, lowQuantity, statuses, statusWord } from "./item.ts";

/** The items to show. */
export interface Filter {
  /** Digits of the pet id. */
  readonly search: string;
  /** Undefined for every status. */
  readonly status: PetStatus | undefined;
  /** Digits of the lowest quantity to show. Empty for every quantity. */
  readonly atLeast: string;
  /** Digits of the highest quantity to show. Empty for every quantity. */
  readonly atMost: string;
}

/** Bounds of the quantity that shops ask for each day, with their titles. */
export const presets: readonly (readonly [
  title: string,
  bounds: Pick<Filter, "atLeast" | "atMost">,
])[] = [
  ["Out of stock", { atLeast: "", atMost: "0" }],
  ["Low", { atLeast: "1", atMost: String(lowQuantity) }],
];

/** Reads a filter from the query of the route. */
export function filterOf(query: URLSearchParams): Filter {
  const [status] = statuses.find(([, word]) => word === query.get("status")) ?? [];
  const [atLeast, atMost] = [query.get("min") ?? "", query.get("max") ?? ""];
  return { search: query.get("q") ?? "", status, atLeast, atMost };
}

/** Returns a filter as values of the query of the route. */
export function filterQuery(filter: Filter): Record<string, string> {
  const { search, status, atLeast, atMost } = filter;
  const word = status === undefined ? "" : statusWord(status);
  return { q: search, status: word, min: atLeast, max: atMost };
}

/** Says what is wrong with the texts of a filter. */
export function filterFault({ search, atLeast, atMost }: Filter): string | undefined {
  if (!/^\d*$/.test(search.trim())) return "A pet id has digits only.";
  if (!/^\d*$/.test(atLeast.trim() + atMost.trim())) return "A quantity has digits only.";
  return undefined;
}

/**
 * Returns the items that match a filter. The pet whose id is the search comes first, then those whose ids begin with it,
 * then those whose ids contain it, each in the order of `items`. A filter with a fault matches no item.
 *
 * @param always the id of an item that is included in any case, because it is being edited
 */
export function filterItems(
  items: readonly Item[],
  filter: Filter,
  always?: bigint,
): readonly Item[] {
  if (filterFault(filter) !== undefined) return items.filter(({ petId }) => petId === always);
  const search = filter.search.trim();
  const atMost = filter.atMost.trim() === "" ? Infinity : Number(filter.atMost);
  const atLeast = Number(filter.atLeast);
  const { status } = filter;
  if (search === "" && status === undefined && atLeast === 0 && atMost === Infinity) return items;
  const [exact, begins, contains]: [Item[], Item[], Item[]] = [[], [], []];
  for (const item of items) {
    const place = search === "" ? 0 : String(item.petId).indexOf(search);
    const isMatch =
      place >= 0 &&
      item.quantity >= atLeast &&
      item.quantity <= atMost &&
      (status === undefined || item.status === status);
    if (!isMatch && item.petId !== always) continue;
    if (place !== 0) contains.push(item);
    else if (String(item.petId) === search) exact.push(item);
    else begins.push(item);
  }
  return [...exact, ...begins, ...contains];
}
