import { present } from "../../call/present.ts";
import {
  changedItems,
  type InventoryStore,
  type Item,
  maxQuantity,
  mostRefusalsReported,
  type VersionedItem,
} from "../inventory-store.ts";
import { listedItem } from "../item-message.ts";
import {
  type ChangeRequest,
  type Conditions,
  type Refusal,
  unknownOrigin,
} from "../stock-change.ts";
import { changesBefore, changesSince } from "./history.ts";
import { decideOnce, removeItem, type Stock, writeItem, writeItems } from "./stock.ts";

/** Makes the store of the stock in memory. */
export function createMemoryInventoryStore(stock: Stock): InventoryStore {
  const { items } = stock;

  /** Sets the quantity of one item to the result of `quantityOf`, if conditions and bounds allow it. */
  function change(
    petId: bigint,
    { origin = unknownOrigin, conditions, idempotency }: ChangeRequest,
    quantityOf: (item: VersionedItem) => number,
  ) {
    return decideOnce(stock, origin.accountId, idempotency, () => {
      const item = items.get(petId);
      const refusal = refusalOf(item, conditions);
      if (refusal) return refusal;
      const before = present(item, "an item that can be changed");
      const quantity = quantityOf(before);
      if (quantity < 0) return { kind: "too_small", quantity: before.quantity } as const;
      if (quantity > maxQuantity) return { kind: "too_large", quantity: before.quantity } as const;
      return { kind: "changed", item: writeItem(stock, { ...before, quantity }, origin) } as const;
    });
  }

  function sorted(): Item[] {
    return [...items.values()]
      .sort((a, b) => (a.petId < b.petId ? -1 : 1))
      .map(({ petId, quantity, status }) => ({ petId, quantity, status }));
  }

  return {
    async list() {
      return { items: sorted().map(listedItem), version: stock.version };
    },

    prefetchList() {},

    async page(after = 0n, limit) {
      const rest = sorted().filter(({ petId }) => petId > after);
      return { items: rest.slice(0, limit), version: stock.version, more: rest.length > limit };
    },

    async get(petId) {
      return items.get(petId);
    },

    async setQuantity(petId, quantity, request = {}) {
      return change(petId, request, () => quantity);
    },

    async adjust(petId, delta, request = {}) {
      return change(petId, request, (item) => item.quantity + delta);
    },

    async setQuantities(updates, { origin = unknownOrigin, idempotency } = {}) {
      const outcome = decideOnce(stock, origin.accountId, idempotency, () => {
        const refusals = updates.flatMap((update, index) => {
          const refusal = refusalOf(items.get(update.petId), update);
          return refusal ? [{ index, refusal }] : [];
        });
        if (refusals.length > 0) {
          const reported = refusals.slice(0, mostRefusalsReported);
          return { kind: "refused", refusals: reported, total: refusals.length } as const;
        }
        const changed = updates.map(({ petId, quantity }) => ({
          ...present(items.get(petId), "an item that can be changed"),
          quantity,
        }));
        const first = writeItems(stock, changed, origin);
        const statuses = changed.map(({ status }) => status).join("");
        // Little of a batch is stored: the request has the rest.
        return { kind: "batch", first, statuses } as const;
      });
      if (outcome.kind !== "batch") return outcome;
      const { first, statuses, replayed } = outcome;
      return { kind: "changed", items: changedItems(updates, first, statuses), replayed };
    },

    async setStatus(petId, status, origin = unknownOrigin) {
      const item = items.get(petId);
      return item && writeItem(stock, { ...item, status }, origin);
    },

    async create(item, origin = unknownOrigin) {
      return items.has(item.petId) ? undefined : writeItem(stock, item, origin).version;
    },

    async put(imported, origin = unknownOrigin, idempotency) {
      return decideOnce(stock, origin.accountId, idempotency, () => {
        const before = items.size;
        writeItems(stock, imported, origin);
        const created = items.size - before;
        return { created, updated: imported.length - created };
      });
    },

    async remove(petId, origin = unknownOrigin) {
      const item = items.get(petId);
      if (item) removeItem(stock, petId, origin);
      return item;
    },

    async changes(query) {
      return changesBefore(stock, query);
    },

    async historyStart() {
      return stock.changes.start() ?? stock.version;
    },

    async changesSince(version, limit) {
      return changesSince(stock, version, limit);
    },
  };
}

/** Returns why an item cannot be changed; undefined when it can. */
function refusalOf(
  item: VersionedItem | undefined,
  { expectedVersions, excludedVersions, expectedQuantity }: Conditions = {},
): Refusal | undefined {
  if (!item) return { kind: "no_pet" };
  const { version, quantity } = item;
  const isAccepted = expectedVersions?.includes(version) ?? !excludedVersions?.includes(version);
  if (!isAccepted) return { kind: "version_mismatch", version, quantity };
  if (expectedQuantity !== undefined && expectedQuantity !== quantity) {
    return { kind: "quantity_mismatch", version, quantity };
  }
  return undefined;
}
