import { firstIndex } from "../first-index.ts";

/** An element of a list in ascending order of pet id. */
interface OfPet {
  readonly petId: bigint;
}

/** What becomes of one pet. */
interface Result<T> {
  /** The index of the pet in the list, or where it would be inserted. */
  readonly at: number;
  readonly isThere: boolean;
  /** Undefined when the pet is removed. */
  readonly element: T | undefined;
}

/**
 * Adds, replaces and removes elements of a list in ascending order of pet id, as the result is. Unchanged elements stay the
 * same objects. Time and memory are those of a copy, because a list can have a million elements.
 *
 * @param changed the new elements by pet id; undefined for a pet that is removed
 */
export function changedList<T extends OfPet>(
  list: readonly T[],
  changed: ReadonlyMap<bigint, T | undefined>,
): readonly T[] {
  const results = resultsOf(list, changed);
  if (results.every(({ isThere, element }) => isThere && element)) {
    const copy = list.slice();
    for (const { at, element } of results) if (element) copy[at] = element;
    return copy;
  }
  const added = results.filter(({ isThere, element }) => element && !isThere).length;
  const removed = results.filter(({ isThere, element }) => isThere && !element).length;
  const copy = new Array<T>(list.length + added - removed);
  let from = 0;
  let to = 0;
  const copyUntil = (end: number) => {
    for (; from < end; from += 1, to += 1) copy[to] = list[from] as T;
  };
  for (const { at, isThere, element } of results) {
    copyUntil(at);
    if (isThere) from += 1;
    if (element) {
      copy[to] = element;
      to += 1;
    }
  }
  copyUntil(list.length);
  return copy;
}

/** @returns in ascending order of pet id */
function resultsOf<T extends OfPet>(
  list: readonly T[],
  changed: ReadonlyMap<bigint, T | undefined>,
): Result<T>[] {
  return [...changed]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([petId, element]) => {
      const at = firstIndex(list.length, (index) => (list[index] as T).petId >= petId);
      return { at, isThere: list[at]?.petId === petId, element };
    });
}
