import type { ConnectError } from "@connectrpc/connect";
import { exceedLargestQuantity, type RpcReason } from "../../contract/catalogue.ts";
import type { FieldViolation } from "../../contract/validator.ts";
import type { BatchRefused } from "../../stores/inventory-store.ts";
import type { Refusal } from "../../stores/stock-change.ts";
import {
  batchRefused,
  changeTooLarge,
  heldText,
  petNotFound,
  quantityMismatch,
  stockTooSmall,
  versionMismatch,
} from "./errors.ts";

/** Returns the error of a refused change. @param delta the requested adjustment; negative to take from the stock */
export function refusalError(petId: bigint, refusal: Refusal, delta?: number): ConnectError {
  switch (refusal.kind) {
    case "no_pet":
      return petNotFound(petId);
    case "version_mismatch":
      return versionMismatch(petId, refusal.version);
    case "quantity_mismatch":
      return quantityMismatch(petId, refusal.quantity);
    case "too_small":
      return stockTooSmall(petId, -(delta ?? 0), refusal.quantity);
    case "too_large":
      return changeTooLarge(petId, delta, refusal.quantity, refusal.held);
  }
}

/** Returns the error of a refused batch. @param list the field with its changes */
export function batchError(
  list: "updates" | "adjustments",
  { refusals, total }: BatchRefused,
): ConnectError {
  const member = list === "updates" ? "quantity" : "delta";
  const rows = refusals.map(({ index, refusal }) => rowOf(`${list}[${index}]`, member, refusal));
  return batchRefused(list, rows, total - rows.length);
}

/** @param member the field with the number */
function rowOf(
  row: string,
  member: "quantity" | "delta",
  refusal: Refusal,
): FieldViolation & { readonly reason: RpcReason } {
  switch (refusal.kind) {
    case "version_mismatch":
      return {
        reason: "VERSION_MISMATCH",
        field: `${row}.expected_version`,
        description: `the version is ${refusal.version}`,
      };
    case "quantity_mismatch":
      return {
        reason: "QUANTITY_MISMATCH",
        field: `${row}.expected_quantity`,
        description: `the quantity is ${refusal.quantity}`,
      };
    case "too_small":
      return {
        reason: "STOCK_TOO_SMALL",
        field: `${row}.${member}`,
        description: `the quantity is ${refusal.quantity}, which is too small`,
      };
    case "too_large":
      return {
        reason: "STOCK_TOO_LARGE",
        field: `${row}.${member}`,
        description: `the quantity is ${refusal.quantity}${heldText(refusal.held)}: the sum would ${exceedLargestQuantity}`,
      };
    case "no_pet":
      return {
        reason: "PET_NOT_FOUND",
        field: `${row}.pet_id`,
        description: "there is no such pet",
      };
  }
}
