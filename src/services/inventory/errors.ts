import type { ConnectError } from "@connectrpc/connect";
import { present } from "../../common/present.ts";
import { exceedLargestQuantity, type RpcReason } from "../../contract/catalogue.ts";
import { errorWith, preconditionOf, sharedOnce, violationsError } from "../../contract/errors.ts";
import type { FieldViolation } from "../../contract/validator.ts";
import { mostRefusalsReported } from "../../stores/inventory-store.ts";

export function petNotFound(petId: bigint): ConnectError {
  return errorWith("PET_NOT_FOUND", `Pet ${petId} is not in the inventory.`, { petId });
}

/** @param wanted the quantity to be removed @param available the quantity in stock */
export function stockTooSmall(petId: bigint, wanted: number, available: number): ConnectError {
  const text = `The stock of pet ${petId} is ${available}, less than the ${wanted} to be removed.`;
  return errorWith("STOCK_TOO_SMALL", text, { petId, available });
}

export function heldText(held: number): string {
  return held > 0 ? `, and ${held} units are held` : "";
}

/** @param delta undefined for a new quantity @param available the quantity in stock @param held the units that are held */
export function changeTooLarge(
  petId: bigint,
  delta: number | undefined,
  available: number,
  held: number,
): ConnectError {
  const change = delta === undefined ? "the new quantity" : `adding ${delta}`;
  const text = `The stock of pet ${petId} is ${available}${heldText(held)}: ${change} would ${exceedLargestQuantity}.`;
  return errorWith("STOCK_TOO_LARGE", text, { petId, available });
}

/** @param version the item's version */
export function versionMismatch(petId: bigint, version: bigint): ConnectError {
  const text = `Pet ${petId} has version ${version}, which does not match the conditions of the request. Read the item again before you change it.`;
  return errorWith("VERSION_MISMATCH", text, { petId, version });
}

/** @param quantity the item's quantity */
export function quantityMismatch(petId: bigint, quantity: number): ConnectError {
  const text = `The stock of pet ${petId} is ${quantity}, not the expected quantity. Read the item again before you change it.`;
  return errorWith("QUANTITY_MISMATCH", text, { petId, quantity });
}

/** Why a change of a batch fails, in which of its fields. */
export type Violation = readonly [reason: RpcReason, field: string, description: string];

const violation = (...parts: Violation) => parts;

export function countBelowHeld(field: string, held: number): Violation {
  return violation("COUNT_BELOW_HELD", field, `${held} units are held`);
}

/**
 * A batch failed and had no effect.
 *
 * @param list the field with the changes, such as `updates`
 * @param rows the changes that fail, in order, at least one; the first decides on reason and code
 * @param more the number of further changes that fail
 */
export function batchFailed(
  list: string,
  rows: readonly (FieldViolation & { readonly reason: RpcReason })[],
  more: number,
): ConnectError {
  const fieldViolations = rows.map(({ field, description }) => ({ field, description }));
  if (more > 0) fieldViolations.push({ field: list, description: `${more} more ${list} fail` });
  const { reason, field } = present(rows[0], "the first row that fails");
  return violationsError(reason, fieldViolations, preconditionOf(field));
}

const strict = "because the write policy of the account is strict";

export const conditionRequired = sharedOnce(() =>
  violationsError("CONDITION_REQUIRED", [
    { field: "If-Match", description: `is required, ${strict}: send the entity tag of the item` },
    { field: "expected_quantity", description: "can be sent in its place" },
  ]),
);

/** Updates of a batch have no condition. @param indexes of these updates, at least one */
export function batchUnconditional(indexes: readonly number[]): ConnectError {
  const rows = indexes.slice(0, mostRefusalsReported).map((index) => ({
    reason: "CONDITION_REQUIRED" as const,
    field: `updates[${index}].expected_version`,
    description: `is required, or an expected quantity, ${strict}`,
  }));
  return batchFailed("updates", rows, indexes.length - rows.length);
}

export const idempotencyKeyRequired = sharedOnce(() =>
  violationsError("IDEMPOTENCY_KEY_REQUIRED", [
    {
      field: "Idempotency-Key",
      description: `is required, ${strict}: send a new key with each new request`,
    },
  ]),
);

/** Another request with this key is in progress in this process. */
export function idempotencyKeyInUse(key: string): ConnectError {
  const text = `Another request with the idempotency key ${key} is in progress. Retry to get its response.`;
  return errorWith("IDEMPOTENCY_KEY_IN_USE", text, { key });
}

export function idempotencyKeyReused(key: string): ConnectError {
  const text = `The idempotency key ${key} was used with another request. Use a new key for a new request.`;
  return errorWith("IDEMPOTENCY_KEY_REUSED", text, { key });
}
