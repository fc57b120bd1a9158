import type { ConnectError } from "@connectrpc/connect";
import { exceedLargestQuantity, expectedOnHand } from "../../contract/catalogue.ts";
import type { BatchRefused } from "../../stores/inventory-store.ts";
import type { CountRefusal, Refusal } from "../../stores/stock-change.ts";
import {
  batchFailed,
  changeTooLarge,
  countBelowHeld,
  heldText,
  petNotFound,
  quantityMismatch,
  stockTooSmall,
  type Violation,
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

/** The fields with the changes of a batch, and the field with the number of each. */
const members = { updates: "quantity", adjustments: "delta", counts: "counted" } as const;

export type BatchField = keyof typeof members;

export type AnyBatchRefused = BatchRefused<Refusal | CountRefusal>;

/** Returns the error of a refused batch. @param list the field with its changes */
export function batchError(list: BatchField, { refusals, total }: AnyBatchRefused): ConnectError {
  const rows = refusals.map(({ index, refusal }) => {
    const [reason, field, description] = violationOf(refusal, members[list]);
    return { reason, field: `${list}[${index}].${field}`, description };
  });
  return batchFailed(list, rows, total - rows.length);
}

/** @param member the field with the number */
function violationOf(
  refusal: Refusal | CountRefusal,
  member: (typeof members)[BatchField],
): Violation {
  switch (refusal.kind) {
    case "version_mismatch":
      return ["VERSION_MISMATCH", "expected_version", `the version is ${refusal.version}`];
    case "quantity_mismatch":
      return ["QUANTITY_MISMATCH", "expected_quantity", `the quantity is ${refusal.quantity}`];
    case "too_small":
      return ["STOCK_TOO_SMALL", member, `the quantity is ${refusal.quantity}, which is too small`];
    case "too_large": {
      const sum = `the quantity is ${refusal.quantity}${heldText(refusal.held)}: the sum`;
      return ["STOCK_TOO_LARGE", member, `${sum} would ${exceedLargestQuantity}`];
    }
    case "on_hand_mismatch":
      return ["QUANTITY_MISMATCH", expectedOnHand, `${refusal.onHand} units are on hand`];
    case "below_held":
      return countBelowHeld(member, refusal.held);
    case "no_pet":
      return ["PET_NOT_FOUND", "pet_id", "there is no such pet"];
  }
}
