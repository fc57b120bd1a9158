import { setTimeout as delay } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import type { ImportInventoryRequest } from "../../gen/admin/v1/admin_pb.ts";
import { afterRows } from "../errors.ts";
import type { InventoryStore, Item } from "../inventory/inventory-store.ts";
import { itemOf } from "../inventory/item-message.ts";
import { refuseRepeatedPets } from "../inventory/repeated-pets.ts";
import type { Origin } from "../inventory/stock-change.ts";

/** How long is waited before each further attempt, in milliseconds. */
const waitsMs = [100, 200, 400, 800];

/**
 * Puts items message by message, each before the next is taken: no more than one is held.
 *
 * @throws ConnectError that says how many items were put before it
 */
export async function importRows(
  store: InventoryStore,
  requests: AsyncIterable<ImportInventoryRequest>,
  origin: Origin,
): Promise<{ rows: bigint; created: bigint; updated: bigint }> {
  const counts = { rows: 0, created: 0, updated: 0 };
  try {
    for await (const { items } of requests) {
      const imported = items.map(itemOf);
      refuseRepeatedPets("items", imported);
      const { created, updated } = await putPatiently(store, imported, origin);
      counts.rows += imported.length;
      counts.created += created;
      counts.updated += updated;
    }
  } catch (error) {
    throw error instanceof ConnectError ? afterRows(error, counts.rows) : error;
  }
  return {
    rows: BigInt(counts.rows),
    created: BigInt(counts.created),
    updated: BigInt(counts.updated),
  };
}

/** Puts items again when it is not known whether they were put: that does no harm. */
async function putPatiently(
  store: InventoryStore,
  items: readonly Item[],
  origin: Origin,
): Promise<{ created: number; updated: number }> {
  for (const wait of waitsMs) {
    try {
      return await store.put(items, origin);
    } catch (error) {
      if (!(error instanceof ConnectError) || error.code !== Code.Unavailable) throw error;
      await delay(wait);
    }
  }
  return store.put(items, origin);
}
