import { isMessage, type Message } from "@bufbuild/protobuf";
import {
  BatchUpdateInventoryRequestSchema,
  UpdateInventoryRequestSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Idempotency } from "../../stores/stock-change.ts";
import { batchUnconditional, conditionRequired, idempotencyKeyRequired } from "./errors.ts";

/**
 * Checks a change of an account whose write policy is strict: setting a quantity needs a condition, a batch that sets
 * quantities needs conditions and an idempotency key, and any other change needs an idempotency key. `If-None-Match` is
 * no condition here, because it does not say which version the client has seen.
 *
 * @throws ConnectError failed_precondition
 */
export function checkStrict(
  request: Message,
  headers: Headers,
  idempotency: Idempotency | undefined,
): void {
  if (isMessage(request, UpdateInventoryRequestSchema)) {
    if (!headers.has("if-match") && isUnconditional(request)) throw conditionRequired();
    return;
  }
  if (isMessage(request, BatchUpdateInventoryRequestSchema)) {
    const indexes = request.updates.flatMap((update, at) => (isUnconditional(update) ? [at] : []));
    if (indexes.length > 0) throw batchUnconditional(indexes);
  }
  if (!idempotency) throw idempotencyKeyRequired();
}

function isUnconditional(change: { expectedVersion?: bigint; expectedQuantity?: number }): boolean {
  return change.expectedVersion === undefined && change.expectedQuantity === undefined;
}
