import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { AdminService, type ImportInventoryRequest } from "../../gen/admin/v1/admin_pb.ts";
import { callDeadline, checkDeadline } from "../call/deadline.ts";
import { afterRows, idempotencyKeyReused } from "../errors.ts";
import { idempotencyOfMessage } from "../inventory/idempotency.ts";
import type { InventoryStore, Item, PutCounts } from "../inventory/inventory-store.ts";
import { itemOf } from "../inventory/item-message.ts";
import type { Idempotency, Origin } from "../inventory/stock-change.ts";

/** Delays before each further attempt, in milliseconds. */
const waitsMs = [100, 200, 400, 800];

/**
 * Puts items message by message, each before the next is taken, so that only one is in memory. Each message
 * is applied at most once.
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
    for await (const request of requests) {
      const { created, updated } = await putOnce(store, request, origin);
      counts.rows += request.items.length;
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

/**
 * Puts the items of a message, and repeats that while the store is unavailable. The attempts share an
 * idempotency key: an attempt whose response was lost must not be applied again, because the stock may have
 * changed in the meantime.
 */
async function putOnce(
  store: InventoryStore,
  request: ImportInventoryRequest,
  origin: Origin,
): Promise<PutCounts> {
  const items = request.items.map(itemOf);
  const idempotency =
    idempotencyOfMessage(AdminService.method.importInventory, request) ?? newIdempotency();
  for (const wait of waitsMs) {
    try {
      return await putItems(store, items, origin, idempotency);
    } catch (error) {
      if (!(error instanceof ConnectError) || error.code !== Code.Unavailable) throw error;
      await delay(wait);
    }
  }
  return putItems(store, items, origin, idempotency);
}

/**
 * Puts items. With an idempotency key, that is done once.
 *
 * @throws ConnectError failed_precondition when the key was used for something else; deadline_exceeded
 */
export async function putItems(
  store: InventoryStore,
  items: readonly Item[],
  origin: Origin,
  idempotency?: Idempotency,
): Promise<PutCounts> {
  // A stream can outlive its deadline between two messages.
  checkDeadline(callDeadline());
  const outcome = await store.put(items, origin, idempotency);
  if ("kind" in outcome) throw idempotencyKeyReused(idempotency?.key ?? "");
  const { created, updated } = outcome;
  return { created, updated };
}

/** A key that no client can have chosen: theirs have no spaces. */
function newIdempotency(): Idempotency {
  return { key: `import ${randomUUID()}`, fingerprint: "-" };
}
