import type { CatalogStore, PutCounts, PutTooLarge } from "../catalog-store.ts";
import { maxQuantity, mostRefusalsReported } from "../inventory-store.ts";
import { unknownOrigin } from "../stock-change.ts";
import { endDueHolds, heldUnits } from "./holds.ts";
import {
  asOneRequest,
  decideOnce,
  removeItem,
  type Stock,
  writeItem,
  writeItems,
} from "./stock.ts";

/** Makes the store of the catalogue in memory. */
export function createMemoryCatalogStore(stock: Stock): CatalogStore {
  const { items } = stock;

  return {
    async update(petId, { status }, origin = unknownOrigin) {
      const item = items.get(petId);
      return item && writeItem(stock, { ...item, status }, origin);
    },
    async create(item, origin = unknownOrigin) {
      return items.has(item.petId) ? undefined : writeItem(stock, item, origin).version;
    },
    async put(imported, origin = unknownOrigin, idempotency, context) {
      // An import can fail long after this part of it.
      if (context?.record) context.record.changesSent += 1;
      const decide = (): PutCounts | PutTooLarge => {
        const tooLarge = [...imported.entries()].filter(
          ([, item]) => item.quantity + heldUnits(stock, item.petId) > maxQuantity,
        );
        if (tooLarge.length > 0) {
          if (tooLarge.some(([, { petId }]) => endDueHolds(stock, petId))) return decide();
          const refused = tooLarge.slice(0, mostRefusalsReported);
          const found = refused.map(([index, { petId }]) => ({
            index,
            held: heldUnits(stock, petId),
          }));
          return { kind: "too_large", items: found };
        }
        const before = items.size;
        writeItems(stock, imported, origin);
        const created = items.size - before;
        return { created, updated: imported.length - created };
      };
      return decideOnce(
        stock,
        { accountId: origin.accountId, idempotency },
        decide,
        (outcome) => "kind" in outcome,
      );
    },
    async remove(petId, origin = unknownOrigin) {
      return asOneRequest(stock, () => {
        if (heldUnits(stock, petId) > 0) endDueHolds(stock, petId);
        const item = items.get(petId);
        if (item && heldUnits(stock, petId) > 0) return "held";
        if (item) removeItem(stock, petId, origin);
        return item;
      });
    },
  };
}
