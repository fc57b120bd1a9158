import { useRef, useState } from "preact/hooks";
import type { Item } from "../item.ts";
import { rangeOf, toggled } from "./row-range.ts";

/** The pets whose rows are selected. */
export interface Selection {
  /** The selected pets that the list shows, in its order. A filter leaves out the others, so no change reaches them. */
  readonly items: readonly Item[];
  has(petId: bigint): boolean;
  /** Selects or deselects a pet. With a range, does the same with all rows since the last one that was clicked. */
  toggle(petId: bigint, rows: "one" | "range"): void;
  /** Selects all rows that the list shows, or none if all are selected. */
  toggleAll(): void;
  clear(): void;
}

/** Keeps which of the shown pets are selected. */
export function useSelection(shown: readonly Item[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<bigint>>(new Set());
  const anchor = useRef<bigint>(undefined);
  const items = ids.size === 0 ? [] : shown.filter(({ petId }) => ids.has(petId));
  return {
    items,
    has: (petId) => ids.has(petId),
    toggle(petId, rows) {
      setIds(
        toggled(ids, rangeOf(shown, rows === "range" ? anchor.current : undefined, petId), petId),
      );
      anchor.current = petId;
    },
    toggleAll() {
      const isAll = items.length === shown.length;
      setIds(new Set(isAll ? [] : shown.map(({ petId }) => petId)));
    },
    clear: () => setIds(new Set()),
  };
}
