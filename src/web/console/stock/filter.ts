import type { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import type { Item } from "./item.ts";

/** The items to show. */
export interface Filter {
  /** Digits of the pet id. */
  readonly search: string;
  /** Undefined for every status. */
  readonly status: PetStatus | undefined;
  /** Digits of the highest quantity to show. Empty for every quantity. */
  readonly atMost: string;
}

export const noFilter: Filter = { search: "", status: undefined, atMost: "" };

/** Says what is wrong with the texts of a filter. */
export function filterFault({ search, atMost }: Filter): string | undefined {
  if (!/^\d*$/.test(search.trim())) return "A pet id has digits only.";
  if (!/^\d*$/.test(atMost.trim())) return "A quantity has digits only.";
  return undefined;
}

/**
 * Returns the items that match a filter, in the same order. A filter with a fault matches no item.
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
  return items.filter(
    (item) =>
      item.petId === always ||
      (item.quantity <= atMost &&
        (status === undefined || item.status === status) &&
        (search === "" || String(item.petId).includes(search))),
  );
}
