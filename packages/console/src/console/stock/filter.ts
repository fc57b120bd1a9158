import type { PetStatus } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { type Item, statuses, statusWord } from "./item.ts";

/** The items to show. */
export interface Filter {
  /** Digits of the pet id. */
  readonly search: string;
  /** Undefined for every status. */
  readonly status: PetStatus | undefined;
  /** Digits of the highest quantity to show. Empty for every quantity. */
  readonly atMost: string;
}

/** Reads a filter from the query of the route. */
export function filterOf(query: URLSearchParams): Filter {
  const [status] = statuses.find(([, word]) => word === query.get("status")) ?? [];
  return { search: query.get("q") ?? "", status, atMost: query.get("max") ?? "" };
}

/** Returns a filter as values of the query of the route. */
export function filterQuery({ search, status, atMost }: Filter): Record<string, string> {
  return { q: search, status: status === undefined ? "" : statusWord(status), max: atMost };
}

/** Says what is wrong with the texts of a filter. */
export function filterFault({ search, atMost }: Filter): string | undefined {
  if (!/^\d*$/.test(search.trim())) return "A pet id has digits only.";
  if (!/^\d*$/.test(atMost.trim())) return "A quantity has digits only.";
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
  const { status } = filter;
  if (search === "" && status === undefined && atMost === Infinity) return items;
  const [exact, begins, contains]: [Item[], Item[], Item[]] = [[], [], []];
  for (const item of items) {
    const place = search === "" ? 0 : String(item.petId).indexOf(search);
    const isMatch =
      place >= 0 && item.quantity <= atMost && (status === undefined || item.status === status);
    if (!isMatch && item.petId !== always) continue;
    if (place !== 0) contains.push(item);
    else if (String(item.petId) === search) exact.push(item);
    else begins.push(item);
  }
  return [...exact, ...begins, ...contains];
}
