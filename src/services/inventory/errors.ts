import type { ConnectError } from "@connectrpc/connect";
import { present } from "../../call/present.ts";
import { exceedLargestQuantity, type RpcReason } from "../../contract/catalogue.ts";
import { serviceError, violationsError } from "../../contract/errors.ts";
import type { FieldViolation } from "../../contract/validator.ts";

export function petNotFound(petId: bigint): ConnectError {
  return serviceError("PET_NOT_FOUND", `Pet ${petId} is not in the inventory.`, {
    metadata: { petId: String(petId) },
  });
}

export function petExists(petId: bigint): ConnectError {
  return serviceError("PET_EXISTS", `Pet ${petId} is in the inventory already.`, {
    metadata: { petId: String(petId) },
  });
}

export function petHeld(petId: bigint): ConnectError {
  return serviceError(
    "PET_HELD",
    `Units of pet ${petId} are held. Remove it when the holds have ended.`,
    { metadata: { petId: String(petId) } },
  );
}

/**
 * @param wanted the quantity to be removed
 * @param available the quantity in stock
 */
export function stockTooSmall(petId: bigint, wanted: number, available: number): ConnectError {
  return serviceError(
    "STOCK_TOO_SMALL",
    `The stock of pet ${petId} is ${available}, less than the ${wanted} to be removed.`,
    { metadata: { petId: String(petId), available: String(available) } },
  );
}

/**
 * @param delta undefined for a new quantity
 * @param available the quantity in stock
 * @param held the units that are held
 */
export function changeTooLarge(
  petId: bigint,
  delta: number | undefined,
  available: number,
  held: number,
): ConnectError {
  const units = held > 0 ? `, and ${held} units are held` : "";
  const change = delta === undefined ? "the new quantity" : `adding ${delta}`;
  return serviceError(
    "STOCK_TOO_LARGE",
    `The stock of pet ${petId} is ${available}${units}: ${change} would ${exceedLargestQuantity}.`,
    { metadata: { petId: String(petId), available: String(available) } },
  );
}

/** @param version the item's version */
export function versionMismatch(petId: bigint, version: bigint): ConnectError {
  return serviceError(
    "VERSION_MISMATCH",
    `Pet ${petId} has version ${version}, which does not match the conditions of the request. Read the item again before you change it.`,
    { metadata: { petId: String(petId), version: String(version) } },
  );
}

/** @param quantity the item's quantity */
export function quantityMismatch(petId: bigint, quantity: number): ConnectError {
  return serviceError(
    "QUANTITY_MISMATCH",
    `The stock of pet ${petId} is ${quantity}, not the expected quantity. Read the item again before you change it.`,
    { metadata: { petId: String(petId), quantity: String(quantity) } },
  );
}

/**
 * A batch failed and had no effect.
 *
 * @param rows the updates that fail, in order, at least one; the first decides on reason and code
 * @param more the number of further updates that fail
 */
export function batchRefused(
  rows: readonly (FieldViolation & { readonly reason: RpcReason })[],
  more: number,
): ConnectError {
  const fieldViolations = rows.map(({ field, description }) => ({ field, description }));
  if (more > 0) {
    fieldViolations.push({ field: "updates", description: `${more} more updates fail` });
  }
  return violationsError(present(rows[0], "the first row that fails").reason, fieldViolations);
}

/** Another request with this key is in progress in this process. */
export function idempotencyKeyInUse(key: string): ConnectError {
  return serviceError(
    "IDEMPOTENCY_KEY_IN_USE",
    `Another request with the idempotency key ${key} is in progress. Retry to get its response.`,
    { metadata: { key } },
  );
}

/** The key was used with another request. */
export function idempotencyKeyReused(key: string): ConnectError {
  return serviceError(
    "IDEMPOTENCY_KEY_REUSED",
    `The idempotency key ${key} was used with another request. Use a new key for a new request.`,
    { metadata: { key } },
  );
}
