import type { InventoryStore } from "../inventory/inventory-store.ts";
import { changeItem, type Stock } from "./stock.ts";

/** The stock within the process. */
export function createMemoryInventoryStore(stock: Stock): InventoryStore {
  const { items } = stock;
  return {
    async list() {
      return [...items.values()].sort((a, b) => (a.petId < b.petId ? -1 : 1));
    },

    async get(petId) {
      return items.get(petId);
    },

    async setQuantity(petId, quantity) {
      return changeItem(stock, petId, { quantity });
    },

    async setStatus(petId, status) {
      return changeItem(stock, petId, { status });
    },

    async create(item) {
      if (items.has(item.petId)) {
        return false;
      }
      items.set(item.petId, item);
      return true;
    },

    async put(imported) {
      const before = items.size;
      for (const item of imported) {
        items.set(item.petId, item);
      }
      const created = items.size - before;
      return { created, updated: imported.length - created };
    },

    async remove(petId) {
      const item = items.get(petId);
      items.delete(petId);
      return item;
    },
  };
}
