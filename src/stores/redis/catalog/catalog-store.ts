import type { CatalogStore, PutTooLarge } from "../../catalog-store.ts";
import type { Connection } from "../connection/connection.ts";
import { pairsOf } from "../pairs.ts";
import { loadChangeScript, outcomeOf, type StockSettings } from "../stock/change-script.ts";
import { optionalItem } from "../stock/item-value.ts";

/** The catalogue in Redis. */
export function createRedisCatalogStore(
  connection: Connection,
  settings: StockSettings,
): CatalogStore {
  const updateItem = loadChangeScript(connection, settings, "many", "update-item");
  const createItem = loadChangeScript(connection, settings, "many", "create-item");
  const putItems = loadChangeScript(connection, settings, "alone", "put-items");
  const removeItem = loadChangeScript(connection, settings, "many", "remove-item");

  return {
    async update(petId, { status }, origin, context) {
      return optionalItem(petId, await updateItem({ origin }, [String(petId), status], context));
    },
    async create({ petId, quantity, status }, origin, context) {
      const reply = await createItem({ origin }, [String(petId), quantity, status], context);
      return optionalItem(petId, reply)?.version;
    },
    async put(items, origin, idempotency, context) {
      const args = items.flatMap(({ petId, quantity, status }) => [
        String(petId),
        quantity,
        status,
      ]);
      return outcomeOf(await putItems({ origin, idempotency }, args, context), (outcome) => {
        if (outcome.startsWith("too_large ")) return putTooLarge(outcome);
        const created = Number(outcome);
        return { created, updated: items.length - created };
      });
    },
    async remove(petId, origin, context) {
      const reply = await removeItem({ origin }, [String(petId)], context);
      return reply === "held" ? reply : optionalItem(petId, reply);
    },
  };
}

/** Parses `too_large`, and then ` <index> <held units>` for each item. */
function putTooLarge(outcome: string): PutTooLarge {
  const [, ...numbers] = outcome.split(" ");
  const items = pairsOf(numbers).map(([index, held]) => ({
    index: Number(index),
    held: Number(held),
  }));
  return { kind: "too_large", items };
}
