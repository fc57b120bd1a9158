import type { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { InventoryStore, Item } from "../inventory/inventory-store.ts";
import type { Connection } from "./connection.ts";
import { itemsKey, petIdsKey, stockVersionKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";

/** Items read in one script call: bounds how long the list keeps the server busy. */
const pageSize = 1_000;

/** Keys of every script on the stock, in the order that stock.lua expects. */
export const stockKeys = [itemsKey, petIdsKey, stockVersionKey] as const;

/** The stock in Redis. */
export function createRedisInventoryStore(connection: Connection): InventoryStore {
  const { redis, guard } = connection;
  const listItems = loadScript(connection, "stock", "list-items");
  const setItem = loadScript(connection, "stock", "set-item");
  const createItem = loadScript(connection, "stock", "create-item");
  const putItems = loadScript(connection, "stock", "put-items");
  const removeItem = loadScript(connection, "stock", "remove-item");

  return {
    async list() {
      const items: Item[] = [];
      for (;;) {
        const last = items.at(-1);
        const page = await listItems(stockKeys, [last ? String(last.petId) : "", pageSize]);
        const lines = String(page).split("\n");
        if (page !== "") {
          items.push(...lines.map(lineItem));
        }
        if (lines.length < pageSize) {
          return items;
        }
      }
    },

    async get(petId) {
      return optionalItem(petId, await guard(redis.hget(itemsKey, String(petId))));
    },

    async setQuantity(petId, quantity) {
      return optionalItem(petId, await setItem(stockKeys, [String(petId), quantity, ""]));
    },

    async setStatus(petId, status) {
      return optionalItem(petId, await setItem(stockKeys, [String(petId), "", status]));
    },

    async create({ petId, quantity, status }) {
      return (await createItem(stockKeys, [String(petId), quantity, status])) === 1;
    },

    async put(items) {
      const fields = items.flatMap(({ petId, quantity, status }) => [
        String(petId),
        quantity,
        status,
      ]);
      const created = Number(await putItems(stockKeys, fields));
      return { created, updated: items.length - created };
    },

    async remove(petId) {
      return optionalItem(petId, await removeItem(stockKeys, [String(petId)]));
    },
  };
}

/** Reads `<pet id>,<quantity>,<status>,<version>`. */
function lineItem(line: string): Item {
  const comma = line.indexOf(",");
  return item(BigInt(line.slice(0, comma)), line.slice(comma + 1));
}

function optionalItem(petId: bigint, value: unknown): Item | undefined {
  return typeof value === "string" ? item(petId, value) : undefined;
}

/** Reads `<quantity>,<status>,<version>`. */
function item(petId: bigint, value: string): Item {
  const [quantity, status] = value.split(",");
  return { petId, quantity: Number(quantity), status: Number(status) as PetStatus };
}
