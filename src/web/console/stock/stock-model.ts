import type {
  InventoryChange,
  InventoryItem,
  WatchInventoryResponse,
} from "../../../../gen/inventory/v1/inventory_pb.ts";
import type { Item } from "./item.ts";

/** The stock as the events of watches describe it. */
export interface StockModel {
  /** Begins a new connection. If the watch does not resume, the old items stay until the new ones are complete. */
  begin(): void;
  /** Applies an event. @returns whether all items, or all missed changes, have arrived with it */
  apply(event: WatchInventoryResponse["event"], now: number): boolean;
  /** All items in ascending order of their ids. The same array until something changes. */
  items(): readonly Item[];
  /** Forgets all items. */
  clear(): void;
}

/** Creates an empty stock. */
export function createStockModel(): StockModel {
  let items = new Map<bigint, Item>();
  /** The parts of a snapshot that is not complete yet. */
  let incoming: Map<bigint, Item> | undefined;
  let ids: bigint[] | undefined;
  let list: readonly Item[] | undefined;

  function put(target: Map<bigint, Item>, item: Item): void {
    if (target === items && !items.has(item.petId)) ids = undefined;
    target.set(item.petId, item);
    list = undefined;
  }

  function remove(target: Map<bigint, Item>, petId: bigint): void {
    if (target.delete(petId)) {
      ids = undefined;
      list = undefined;
    }
  }

  function replaceBy(complete: Map<bigint, Item>): void {
    items = complete;
    incoming = undefined;
    ids = undefined;
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
      ids ??= [...items.keys()].sort((a, b) => (a < b ? -1 : 1));
      list ??= ids.map((id) => items.get(id)).filter((item) => item !== undefined);
      return list;
    },
    clear() {
      replaceBy(new Map());
    },
  };
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
