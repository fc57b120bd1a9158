import type { Item } from "../item.ts";

/** Returns the pets of the rows from one to another; only the last one if the first is not shown. */
export function rangeOf(shown: readonly Item[], first: bigint | undefined, last: bigint): bigint[] {
  const from = shown.findIndex(({ petId }) => petId === first);
  const to = shown.findIndex(({ petId }) => petId === last);
  if (from < 0 || to < 0) return [last];
  return shown.slice(Math.min(from, to), Math.max(from, to) + 1).map(({ petId }) => petId);
}

/** Gives all pets of a range the state that the clicked one gets. */
export function toggled(
  ids: ReadonlySet<bigint>,
  range: readonly bigint[],
  clicked: bigint,
): ReadonlySet<bigint> {
  if (!ids.has(clicked)) return new Set([...ids, ...range]);
  const removed = new Set(range);
  return new Set([...ids].filter((petId) => !removed.has(petId)));
}
