import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { checkDeadline } from "connect-gateway/call";
import { AdminService, type ImportInventoryRequest } from "../../../gen/admin/v1/admin_pb.ts";
import type { CallContext } from "../../common/call-context.ts";
import { present } from "../../common/present.ts";
import type { InventoryStore, Item, PutCounts } from "../../stores/inventory-store.ts";
import { itemOf } from "../../stores/item-message.ts";
import type { ChangeRequest, Idempotency, Origin } from "../../stores/stock-change.ts";
import { idempotencyKeyReused } from "../inventory/errors.ts";
import { idempotencyOf } from "../inventory/idempotency.ts";
import { importTooLarge, withApplied } from "./errors.ts";

/** Delays before the second and each later attempt, in milliseconds. */
const retryDelaysMs = [100, 200, 400, 800];

/**
 * Applies the messages of a stream one by one, so that only one is in memory. Applies each message at most once.
 *
 * @throws ConnectError with the number of items that were applied before it, as `appliedRows` in its ErrorInfo, and how
 * many of them were `created` and `updated`
 */
export async function importStream(
  store: InventoryStore,
  requests: AsyncIterable<ImportInventoryRequest>,
  origin: Origin,
  context?: CallContext,
): Promise<{ rows: bigint; created: bigint; updated: bigint }> {
  const counts = { rows: 0, created: 0, updated: 0 };
  try {
    for await (const request of requests) {
      const { created, updated } = await importMessage(store, request, origin, context);
      counts.rows += request.items.length;
      counts.created += created;
      counts.updated += updated;
    }
  } catch (error) {
    throw error instanceof ConnectError ? withApplied(error, counts) : error;
  }
  const { rows, created, updated } = counts;
  return { rows: BigInt(rows), created: BigInt(created), updated: BigInt(updated) };
}

/**
 * Applies one message, with retries while the store is unavailable. All attempts have the same idempotency key: an
 * attempt whose response was lost must not be applied again, because the stock may have changed in the meantime.
 */
async function importMessage(
  store: InventoryStore,
  request: ImportInventoryRequest,
  origin: Origin,
  context: CallContext | undefined,
): Promise<PutCounts> {
  const items = request.items.map(itemOf);
  const idempotency =
    idempotencyOf(AdminService.method.importInventory, request) ?? newIdempotency();
  for (const delayMs of retryDelaysMs) {
    try {
      return await putItems(store, items, { origin, idempotency }, context);
    } catch (error) {
      if (!(error instanceof ConnectError) || error.code !== Code.Unavailable) throw error;
      await delay(delayMs);
    }
  }
  return putItems(store, items, { origin, idempotency }, context);
}

/**
 * Adds or updates items; at most once per idempotency key.
 *
 * @throws ConnectError failed_precondition if another request has used the key; deadline_exceeded
 */
export async function putItems(
  store: InventoryStore,
  items: readonly Item[],
  { origin, idempotency }: Omit<ChangeRequest, "conditions">,
  context?: CallContext,
): Promise<PutCounts> {
  // The deadline of a stream can pass between two messages.
  checkDeadline(context?.deadline);
  const outcome = await store.put(items, origin, idempotency, context);
  if ("kind" in outcome) {
    if (outcome.kind === "too_large") throw importTooLarge(outcome.items, items);
    throw idempotencyKeyReused(present(idempotency?.key, "the idempotency key"));
  }
  const { created, updated } = outcome;
  return { created, updated };
}

/** Generates a key that no client can have sent: keys of clients have no spaces. */
function newIdempotency(): Idempotency {
  return { key: `import ${randomUUID()}`, fingerprint: "-" };
}
