import type { PetStatus } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import type { Names } from "../pets/names.ts";
import { type Item, lowQuantity, statuses, statusWord } from "./item.ts";

/** The items to show. */
export interface Filter {
  /** A part of the name, the SKU or the id. */
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

/** The filter that selects all items. */
export const noFilter: Filter = { search: "", status: undefined, atLeast: "", atMost: "" };

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
export function filterFault({ atLeast, atMost }: Filter): string | undefined {
  if (!/^\d*$/.test(atLeast.trim() + atMost.trim())) return "A quantity has digits only.";
  return undefined;
}

/**
 * Returns the items that match a filter. The pet whose SKU is the search comes first, then those with such an id or name,
 * then those of which a word begins with it, then those that contain it, each in the order of `items`. A filter with a
 * fault matches no item.
 *
 * @param always the id of an item that is included in any case, because it is being edited
 */
export function filterItems(
  items: readonly Item[],
  filter: Filter,
  names: Names,
  always?: bigint,
): readonly Item[] {
  if (filterFault(filter) !== undefined) return items.filter(({ petId }) => petId === always);
  const search = filter.search.trim().toLowerCase();
  const atMost = filter.atMost.trim() === "" ? Infinity : Number(filter.atMost);
  const atLeast = Number(filter.atLeast);
  const { status } = filter;
  if (search === "" && status === undefined && atLeast === 0 && atMost === Infinity) return items;
  const byRank: Item[][] = Array.from({ length: noMatch + 1 }, () => []);
  for (const item of items) {
    const rank = search === "" ? 0 : rankOf(item.petId, search, names);
    const isMatch =
      rank < noMatch &&
      item.quantity >= atLeast &&
      item.quantity <= atMost &&
      (status === undefined || item.status === status);
    if (isMatch || item.petId === always) byRank[rank]?.push(item);
  }
  return byRank.flat();
}

/** The rank of pets that do not match. */
const noMatch = 4;

/** Returns how well a pet matches a search in lower case: 0 is the best. */
function rankOf(petId: bigint, search: string, { byPet }: Names): number {
  const id = String(petId);
  const text = byPet.get(petId)?.searchText ?? "";
  if (!text.includes(search) && !id.includes(search)) return noMatch;
  if (text.endsWith(`\n${search}\n`)) return 0;
  if (id === search || text.startsWith(`\n${search}\n`)) return 1;
  const begins =
    id.startsWith(search) || text.includes(`\n${search}`) || text.includes(` ${search}`);
  return begins ? 2 : 3;
}
