import type {
  InventoryChange,
  InventoryItem,
  WatchInventoryResponse,
} from "../../../../../gen/inventory/v1/inventory_pb.ts";
import type { Item } from "./item.ts";

/** The stock as the events of watches describe it. */
export interface StockModel {
  /** Begins a new connection. If the watch does not resume, the old items stay until the new ones are complete. */
  begin(): void;
  /** Applies an event. @returns whether all items, or all missed changes, have arrived with it */
  apply(event: WatchInventoryResponse["event"], now: number): boolean;
  /** All items in ascending order of their ids. The same array until something changes. */
  items(): readonly Item[];
  /** The number of items that have arrived while they are not complete. */
  arrived(): number;
  /** Forgets all items. */
  clear(): void;
}

/** Creates an empty stock. */
export function createStockModel(): StockModel {
  let items = new Map<bigint, Item>();
  /** The parts of a snapshot that is not complete yet. */
  let incoming: Map<bigint, Item> | undefined;
  /** The items in the order of their ids; undefined if it is to be made again. */
  let sorted: Item[] | undefined;
  /** A copy of `sorted` that was returned. */
  let list: readonly Item[] | undefined;

  function put(target: Map<bigint, Item>, item: Item): void {
    if (target === items) {
      list = undefined;
      // Most changes are of a known pet. To sort 100,000 items for each would take longer than a frame.
      if (!items.has(item.petId)) sorted = undefined;
      else if (sorted) sorted[placeOf(sorted, item.petId)] = item;
    }
    target.set(item.petId, item);
  }

  function remove(target: Map<bigint, Item>, petId: bigint): void {
    if (target.delete(petId)) {
      sorted = undefined;
      list = undefined;
    }
  }

  function replaceBy(complete: Map<bigint, Item>): void {
    items = complete;
    incoming = undefined;
    sorted = undefined;
    list = undefined;
  }

  return {
    begin() {
      incoming = undefined;
    },
    apply(event, now) {
      switch (event.case) {
        case "snapshot": {
          incoming ??= new Map();
          for (const item of event.value.items) put(incoming, itemOf(item));
          for (const petId of event.value.removedPetIds) remove(incoming, petId);
          return false;
        }
        case "ready":
          if (incoming) replaceBy(incoming);
          return true;
        case "change": {
          const item = itemAfter(event.value, now);
          if (item) put(incoming ?? items, item);
          else remove(incoming ?? items, event.value.petId);
          return false;
        }
        default:
          return false;
      }
    },
    items() {
      sorted ??= [...items.values()].sort((a, b) => (a.petId < b.petId ? -1 : 1));
      list ??= [...sorted];
      return list;
    },
    arrived: () => incoming?.size ?? 0,
    clear() {
      replaceBy(new Map());
    },
  };
}

/** Returns the place of a pet in items that are in the order of ids: its own, or where it would be. */
export function placeOf(sorted: readonly Item[], petId: bigint): number {
  let [first, end] = [0, sorted.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    const item = sorted[middle];
    if (item && item.petId < petId) first = middle + 1;
    else end = middle;
  }
  return first;
}

/** Whether items that are in the order of ids have one of a pet. */
export function hasPet(sorted: readonly Item[], petId: bigint): boolean {
  return sorted[placeOf(sorted, petId)]?.petId === petId;
}

function itemOf({ petId, quantity = 0, status }: InventoryItem): Item {
  return { petId, quantity, status };
}

/** Returns the item after a change; undefined if the change removed it. */
function itemAfter(change: InventoryChange, now: number): Item | undefined {
  const { petId, quantityAfter, status } = change;
  if (quantityAfter === undefined || status === undefined) return undefined;
  return { petId, quantity: quantityAfter, status, changedAt: now };
}
