import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { checkDeadline, quote } from "connect-gateway/call";
import { CatalogService, type ImportPetsRequest } from "../../../gen/catalog/v1/catalog_pb.ts";
import type { CallContext } from "../../common/call-context.ts";
import { present } from "../../common/present.ts";
import { fieldInvalid } from "../../contract/errors.ts";
import type { CatalogStore, PutCounts, PutPet } from "../../stores/catalog-store.ts";
import type { Origin } from "../../stores/stock-change.ts";
import { idempotencyKeyReused } from "../inventory/errors.ts";
import { idempotencyOf } from "../inventory/idempotency.ts";
import { importSkusTaken, importTooLarge, withApplied } from "./errors.ts";

/** Delays before the second and each later attempt, in milliseconds. */
const retryDelaysMs = [100, 200, 400, 800];

interface Import {
  readonly origin: Origin;
  /** Counts the requests that a message costs, by its number of pets. @throws ConnectError when it exceeds a limit */
  readonly pay: (pets: number) => Promise<void>;
}

/**
 * Applies the messages of a stream one by one, so that only one is in memory. Applies each message at most once.
 *
 * @throws ConnectError with the number of pets that were applied before it, as `appliedRows` in its ErrorInfo, and how
 * many of them were `created` and `updated`
 */
export async function importStream(
  store: CatalogStore,
  requests: AsyncIterable<ImportPetsRequest>,
  { origin, pay }: Import,
  context?: CallContext,
): Promise<{ rows: bigint; created: bigint; updated: bigint }> {
  const counts = { rows: 0, created: 0, updated: 0 };
  try {
    for await (const request of requests) {
      await pay(request.pets.length);
      const { created, updated } = await importMessage(store, request, origin, context);
      counts.rows += request.pets.length;
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
 *
 * @throws ConnectError invalid_argument if two pets have the same SKU; already_exists if another pet has one; failed_precondition
 * if another request has used the key; deadline_exceeded
 */
async function importMessage(
  store: CatalogStore,
  request: ImportPetsRequest,
  origin: Origin,
  context: CallContext | undefined,
): Promise<PutCounts> {
  const pets = request.pets.map(({ petId, quantity, status, name, sku }) => {
    return { petId, quantity: present(quantity, "a validated quantity"), status, name, sku };
  });
  checkSkus(pets);
  const idempotency = idempotencyOf(CatalogService.method.importPets, request) ?? {
    // No client can have sent it: keys of clients have no spaces.
    key: `import ${randomUUID()}`,
    fingerprint: "-",
  };
  const put = async () => {
    // The deadline of a stream can pass between two messages.
    checkDeadline(context?.deadline);
    const outcome = await store.put(pets, origin, idempotency, context);
    if (!("kind" in outcome)) return outcome;
    if (outcome.kind === "too_large") throw importTooLarge(outcome.items, pets);
    if (outcome.kind === "sku_taken") throw importSkusTaken(outcome.items, pets);
    throw idempotencyKeyReused(idempotency.key);
  };
  for (const delayMs of retryDelaysMs) {
    try {
      return await put();
    } catch (error) {
      if (!(error instanceof ConnectError) || error.code !== Code.Unavailable) throw error;
      await delay(delayMs);
    }
  }
  return put();
}

/** @throws ConnectError invalid_argument if two pets of a message have the same SKU */
function checkSkus(pets: readonly PutPet[]): void {
  const firsts = new Map<string, number>();
  for (const [index, { sku = "" }] of pets.entries()) {
    const first = sku === "" ? index : firsts.getOrInsert(sku, index);
    if (first === index) continue;
    const fault = `must be unique: the element at index ${first} has the value ${quote(sku)}, too`;
    throw fieldInvalid(`pets[${index}].sku`, fault);
  }
}
